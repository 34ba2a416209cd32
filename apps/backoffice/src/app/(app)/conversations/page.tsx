import type { Metadata } from "next";
import { ConversationsPage } from "../../../features/conversations/conversations-page.tsx";

export const metadata: Metadata = { title: "Conversations" };

export default function Conversations() {
  return <ConversationsPage />;
}
