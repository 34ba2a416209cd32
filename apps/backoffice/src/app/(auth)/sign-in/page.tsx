import type { Metadata } from "next";
import { SignInPage } from "../../../features/sign-in/sign-in-page.tsx";

export const metadata: Metadata = { title: "Sign in" };

export default function SignIn() {
  return <SignInPage />;
}
