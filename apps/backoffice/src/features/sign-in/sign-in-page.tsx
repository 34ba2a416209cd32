"use client";

import { useSearchParams } from "next/navigation";
import { type FormEvent, useState } from "react";
import { authClient } from "../../shell/auth-client.ts";
import { Button } from "../../ui/button.tsx";
import { Field } from "../../ui/field.tsx";
import { Door } from "./door.tsx";
import { safeNext } from "./safe-next.ts";

/** E-mail and password; afterwards back to where one wanted to go. */
export function SignInPage() {
  const next = safeNext(useSearchParams().get("next"));
  const [email, setEmail] = useState("");
  const [password, setPassword] = useState("");
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    setProblem(null);
    const { error } = await authClient.signIn
      .email({ email, password })
      .catch(() => ({ error: { status: 0, message: undefined } }));
    if (error === null) {
      // A full load: every answer is asked for anew with the new session.
      window.location.assign(next);
      return;
    }
    setBusy(false);
    setProblem(problemOf(error.status));
  };
  return (
    <Door title="Sign in" intro="To the backoffice of your agents.">
      <form method="post" onSubmit={submit} className="space-y-4">
        <Field
          label="E-mail"
          type="email"
          name="email"
          autoComplete="username"
          autoFocus
          required
          value={email}
          onChange={setEmail}
        />
        <Field
          label="Password"
          type="password"
          name="password"
          autoComplete="current-password"
          required
          value={password}
          onChange={setPassword}
        />
        {problem === null ? null : (
          <p role="alert" className="rounded-md bg-danger-tint px-3 py-2 text-[13px] text-danger-ink">
            {problem}
          </p>
        )}
        <Button type="submit" variant="primary" size="base" loading={busy} className="w-full justify-center">
          Sign in
        </Button>
        <p className="text-center text-xs leading-relaxed text-muted">
          Forgot it? Whoever runs the server can set a new one with{" "}
          <code className="text-2xs">wheelhouse admin reset-password</code>.
        </p>
      </form>
    </Door>
  );
}

function problemOf(status: number): string {
  if (status === 0 || status >= 500) return "The server cannot be reached. Try again in a moment.";
  if (status === 429) return "Too many attempts. Wait a minute and try again.";
  return "E-mail and password do not match.";
}
