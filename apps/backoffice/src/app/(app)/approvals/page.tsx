import { Page } from "../../../ui/page.tsx";

export default function ApprovalsPage() {
  return <Page title="Approvals">{null}</Page>;
}
