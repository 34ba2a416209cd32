import { tool } from "@langchain/core/tools";
import { z } from "zod";

const customers = [
  {
    name: "Ada Osei",
    email: "ada@example.com",
    plan: "Team",
    since: "2024-02-11",
    note: "Asked about invoices in May.",
  },
  {
    name: "Björn Åkesson",
    email: "bjorn@example.com",
    plan: "Solo",
    since: "2025-09-30",
    note: "Prefers short mails.",
  },
  { name: "田中 美咲", email: "misaki@example.com", plan: "Company", since: "2023-06-01", note: "Renews in June." },
];

/** Tools of a small support desk. The customers are invented, and no mail leaves the machine. */
export const supportDeskTools = [
  tool(
    async ({ query }) => {
      const wanted = query.toLowerCase().split(/\s+/);
      const found = customers.filter((customer) => {
        const text = `${customer.name} ${customer.email}`.toLowerCase();
        return wanted.some((word) => word.length > 1 && text.includes(word));
      });
      return found.length === 0 ? "No customer fits." : JSON.stringify(found);
    },
    {
      name: "find_customer",
      description: "Finds customers by name or address.",
      schema: z.object({ query: z.string().describe("A part of the name or address") }),
    },
  ),
  tool(
    async ({ to, subject }) => `The mail “${subject}” to ${to} is written. (This is a demonstration: it was not sent.)`,
    {
      name: "send_email",
      description: "Sends a mail to a customer.",
      schema: z.object({
        to: z.string().describe("The address of the receiver"),
        subject: z.string().describe("The subject line"),
        body: z.string().describe("The text of the mail"),
      }),
    },
  ),
];
