/** Something wrong in the workspace. The thing it is about was left out; everything else was loaded. */
export interface RegistryIssue {
  /** Relative to the workspace, with forward slashes. */
  file: string;
  /** From 1; null when it is about the file as a whole. */
  line: number | null;
  message: string;
}

/** `file:line: message`, as editors and terminals make it clickable. */
export const issueText = ({ file, line, message }: RegistryIssue): string =>
  `${file}${line === null ? "" : `:${line}`}: ${message}`;
