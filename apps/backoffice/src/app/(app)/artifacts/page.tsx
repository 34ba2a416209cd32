import type { Metadata } from "next";
import { ArtifactsPage } from "../../../features/artifacts/artifacts-page.tsx";

export const metadata: Metadata = { title: "Artifacts" };

export default function Artifacts() {
  return <ArtifactsPage />;
}
