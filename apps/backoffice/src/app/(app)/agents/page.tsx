import { Page } from "../../../ui/page.tsx";

export default function AgentsPage() {
  return <Page title="Agents">{null}</Page>;
}
