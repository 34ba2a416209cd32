import type { Metadata } from "next";
import { SchedulesPage } from "../../../features/schedules/schedules-page.tsx";

export const metadata: Metadata = { title: "Schedules" };

export default function Schedules() {
  return <SchedulesPage />;
}
