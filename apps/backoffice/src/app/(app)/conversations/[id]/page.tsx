import { ConversationPage } from "../../../../features/conversation/conversation-page.tsx";

export default async function ConversationRoute({ params }: { params: Promise<{ id: string }> }) {
  const { id } = await params;
  return <ConversationPage key={id} sessionId={decodeURIComponent(id)} />;
}
