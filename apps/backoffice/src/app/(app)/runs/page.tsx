import { Page } from "../../../ui/page.tsx";

export default function RunsPage() {
  return <Page title="Runs">{null}</Page>;
}
