"use client";

/** The last resort: even the frame of the pages failed, so nothing of it is used here. */
export default function GlobalError({ reset }: { error: Error; reset: () => void }) {
  return (
    <html lang="en">
      <body style={{ fontFamily: "system-ui, sans-serif", display: "grid", placeItems: "center", minHeight: "100vh" }}>
        <main style={{ maxWidth: 420, padding: 24 }}>
          <h1 style={{ fontSize: 18 }}>The page could not be shown</h1>
          <p style={{ lineHeight: 1.5 }}>Your data is safe: only the display of it failed.</p>
          <button type="button" onClick={reset}>
            Try again
          </button>
        </main>
      </body>
    </html>
  );
}
