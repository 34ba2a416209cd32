/** What is wrong with the fields of a form, by field; `form` is what is wrong with the whole. */
export type FieldProblems = Readonly<Record<string, string>>;

export interface RefusedAnswer {
  message?: string;
  issues?: readonly { path: string; message: string }[];
}

/**
 * A refusal as problems of fields. An issue of a field that the form does not have, or of a part of one, is shown at
 * the field it belongs to or at the whole form.
 */
export function readIssues(refusal: RefusedAnswer, fields: readonly string[]): FieldProblems {
  const problems: Record<string, string> = {};
  for (const { path, message } of refusal.issues ?? []) {
    const field = fields.find((name) => path === name || path.startsWith(`${name}.`));
    if (field === undefined) problems.form ??= `${path}: ${message}`;
    else problems[field] ??= path === field ? message : `${path.slice(field.length + 1)}: ${message}`;
  }
  if (Object.keys(problems).length === 0) problems.form = refusal.message ?? "It was refused.";
  return problems;
}
