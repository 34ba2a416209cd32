"use client";

import { LinkBreakIcon } from "@phosphor-icons/react";
import { useSearchParams } from "next/navigation";
import { type FormEvent, useState } from "react";
import { Button, LinkButton } from "../../ui/button.tsx";
import { Field } from "../../ui/field.tsx";
import { Door } from "./door.tsx";
import { readSetupAnswer, type SetupAnswer } from "./read-setup-answer.ts";

const shortestPassword = 10;

/** The first start: the owner of the installation, by the one-time link that the server printed. */
export function SetupPage() {
  const token = useSearchParams().get("token") ?? "";
  const [form, setForm] = useState({ name: "", email: "", password: "" });
  const [busy, setBusy] = useState(false);
  const [answer, setAnswer] = useState<SetupAnswer | null>(null);
  if (token === "" || answer?.kind === "spent") return <SpentLink />;
  const change = (field: keyof typeof form) => (value: string) => {
    setForm((before) => ({ ...before, [field]: value }));
    setAnswer(null);
  };
  const problems = answer?.kind === "invalid" ? answer.problems : {};
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    const next = await send({ token, ...form });
    if (next.kind === "done") {
      window.location.assign("/");
      return;
    }
    setAnswer(next);
    setBusy(false);
  };
  return (
    <Door
      title="Welcome aboard"
      intro="Create the account of the owner. It may do everything, and invite others later."
    >
      <form method="post" onSubmit={submit} className="space-y-4">
        <Field
          label="Your name"
          name="name"
          autoComplete="name"
          autoFocus
          required
          value={form.name}
          onChange={change("name")}
          problem={problems.name}
        />
        <Field
          label="E-mail"
          type="email"
          name="email"
          autoComplete="username"
          required
          value={form.email}
          onChange={change("email")}
          problem={problems.email}
        />
        <Field
          label="Password"
          type="password"
          name="password"
          autoComplete="new-password"
          required
          minLength={shortestPassword}
          hint={`At least ${shortestPassword} characters`}
          value={form.password}
          onChange={change("password")}
          problem={problems.password}
        />
        {answer?.kind === "failed" ? (
          <p role="alert" className="rounded-md bg-danger-tint px-3 py-2 text-[13px] text-danger-ink">
            {answer.message}
          </p>
        ) : null}
        <Button type="submit" variant="primary" size="base" loading={busy} className="w-full justify-center">
          Create the owner and sign in
        </Button>
      </form>
    </Door>
  );
}

async function send(body: Record<string, string>): Promise<SetupAnswer> {
  try {
    const response = await fetch("/api/setup", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    return readSetupAnswer(response.status, await response.text());
  } catch {
    return { kind: "failed", message: "The server cannot be reached. Try again in a moment." };
  }
}

function SpentLink() {
  return (
    <Door title="This link is spent">
      <div className="flex gap-3 text-[13px] leading-relaxed text-muted">
        <LinkBreakIcon size={18} aria-hidden="true" className="mt-0.5 shrink-0" />
        <p>
          The link of the first start works once and for a day. If there is an owner already, sign in. If not, start the
          server again: it prints a new link.
        </p>
      </div>
      <div className="mt-5">
        <LinkButton href="/sign-in" variant="primary">
          Go to the sign-in
        </LinkButton>
      </div>
    </Door>
  );
}
