import type { Metadata } from "next";
import { AgentsPage } from "../../../features/agents/agents-page.tsx";

export const metadata: Metadata = { title: "Agents" };

export default function Agents() {
  return <AgentsPage />;
}
