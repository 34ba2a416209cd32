/** What the demo's users say, by agent. Several languages and scripts, short and long, as in a real project. */

export const questions: readonly (readonly string[])[] = [
  ["What is a cursor, and why does it never lose an event?", "And after a restart?"],
  ["How do approvals work?"],
  ["Where are tokens counted?", "Thanks!"],
  ["hello", "What can you do?"],
  ["How do I run Wheelhouse with PostgreSQL?"],
  ["What happens to a run when its worker is killed?", "How often is it taken over?", "And then?"],
  ["¿Qué es una sesión y qué es una tarea?"],
  ["Kuidas ma näen, mida agent parajasti teeb?"],
  ["Wie heißt das Wort für einen Versuch? Größe, Straße, Äußerung – nur um die Umlaute zu prüfen."],
  ["セッションとタスクの違いは何ですか？", "ありがとうございます。"],
  ["什么是会话？什么是运行？请简单说明。"],
  ["작업을 취소하려면 어떻게 하나요?"],
  ["كيف تعمل الموافقات؟", "شكرا جزيلا"],
  ["מה ההבדל בין משימה להרצה?"],
  ["เหตุการณ์ถูกเก็บไว้อย่างไร"],
  ["घटनाएँ किस क्रम में रखी जाती हैं?"],
  ["Does the family emoji 👨‍👩‍👧‍👦 stay one character? And 👩🏽‍💻, 🏳️‍🌈, 🇪🇪?"],
  ["Cafe\u0301 or café – are combining marks (n\u0303, a\u030a) kept as they were written?"],
  ["Z\u0351\u036b\u0343a\u0302\u0323l\u0334g\u0328o\u0309: can you read this?"],
  ["What does the word “scope” mean here?", "Who sets it?"],
  ["Can two runs of one session be active at once?"],
  ["How are messages ordered?"],
  ["What is in the manifest of a run?", "Does it hold secrets?"],
  ["Which events are there?", "Which of them end a run?"],
  ["How does the server tell a browser that something happened?"],
  ["When does a session show ERROR?"],
  ["Where do I put my own LangGraph graph?"],
  ["What is an idempotency key for?"],
];

export const investigations: readonly (readonly string[])[] = [
  ["Research how events and cursors fit together and report on it."],
  ["Investigate what happens between a message and its answer."],
  ["Compare sessions, tasks and runs in depth.", "Thanks, that helps."],
  ["Look into approvals: who may decide, and what happens afterwards?"],
  ["Plan a short introduction for a new colleague about the words of this product."],
];

export const briefings: readonly (readonly string[])[] = [
  ["Events and cursors"],
  ["Approvals for tools that write mails"],
  ["The words: session, task, run, step"],
  ["事件和游标"],
  ["Recovery after a crash"],
];

export const errands: readonly string[] = [
  "Send an email to ada@example.com about the invoice of May.",
  "Please send an email to bjorn@example.com: his plan is renewed.",
  "Send an email to misaki@example.com and thank her for the renewal. 田中さんによろしく！",
  "Send an email to ada@example.com with the new opening hours 🕘.",
  "Send an email to bjorn@example.com that the export is ready.",
];

export const lookups: readonly (readonly string[])[] = [
  ["Find customer Ada", "And Björn?"],
  ["Which customer is 田中?"],
  ["Who is the customer with the address bjorn@example.com?"],
];

/** What provider, tools and graphs really say when they fail. */
export const failures = [
  { code: "MODEL_ERROR", message: "The model provider answered 529: overloaded. Trying again may help." },
  { code: "MODEL_ERROR", message: "The model provider closed the connection while it was answering." },
  { code: "EXECUTION_TIMEOUT", message: "The run took longer than 300 seconds." },
  { code: "TOOL_ERROR", message: "The tool search_docs failed: the index is being rebuilt." },
  { code: "RECURSION_LIMIT", message: "The graph took more than 100 steps without coming to an end." },
] as const;

/** A long message, as people paste them: a log with a question in front. */
export function pastedLog(lines: number): string {
  const rows = Array.from({ length: lines }, (_, i) => {
    const time = new Date(Date.UTC(2026, 2, 3, 8, 0, i)).toISOString();
    return `${time} worker-${i % 4} ${i % 17 === 0 ? "WARN  lease renewed late" : "INFO  claimed run"} #${1000 + i} (${(i * 37) % 900} ms)`;
  });
  return `What do the docs say about leases? Here is the log:\n\n${rows.join("\n")}`;
}
