import type { Metadata } from "next";
import { SetupPage } from "../../../features/sign-in/setup-page.tsx";

export const metadata: Metadata = { title: "First start" };

export default function Setup() {
  return <SetupPage />;
}
