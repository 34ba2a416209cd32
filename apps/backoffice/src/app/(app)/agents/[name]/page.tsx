import { AgentPage } from "../../../../features/agents/agent-page.tsx";

export default async function Agent({ params }: { params: Promise<{ name: string }> }) {
  const { name } = await params;
  return <AgentPage name={decodeURIComponent(name)} />;
}
