import { Page } from "../../../ui/page.tsx";

export default function ConversationsPage() {
  return <Page title="Conversations">{null}</Page>;
}
