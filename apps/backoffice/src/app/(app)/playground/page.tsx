import type { Metadata } from "next";
import { PlaygroundPage } from "../../../features/playground/playground-page.tsx";

export const metadata: Metadata = { title: "Playground" };

export default function Playground() {
  return <PlaygroundPage />;
}
