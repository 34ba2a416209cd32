import type { Metadata } from "next";
import { WebhooksPage } from "../../../features/webhooks/webhooks-page.tsx";

export const metadata: Metadata = { title: "Webhooks" };

export default function Webhooks() {
  return <WebhooksPage />;
}
