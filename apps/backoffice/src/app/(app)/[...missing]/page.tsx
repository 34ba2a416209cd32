import { notFound } from "next/navigation";

/** Every address without a page of its own: the shell stays around the answer. */
export default function MissingPage() {
  notFound();
}
