import { RunPage } from "../../../../features/run/run-page.tsx";

export default async function RunRoute({ params }: { params: Promise<{ id: string }> }) {
  const { id } = await params;
  return <RunPage key={id} runId={decodeURIComponent(id)} />;
}
