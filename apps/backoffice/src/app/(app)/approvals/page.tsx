import type { Metadata } from "next";
import { ApprovalsPage } from "../../../features/approvals/approvals-page.tsx";

export const metadata: Metadata = { title: "Approvals" };

export default function Approvals() {
  return <ApprovalsPage />;
}
