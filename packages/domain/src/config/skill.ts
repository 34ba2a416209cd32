import { z } from "zod";

const maxSkillCharacters = 1_000_000;

/** A path below a skill's folder: relative, with `/`, without `.`, `..`, empty and hidden parts. */
const SkillPath = z
  .string()
  .min(1)
  .max(500)
  .regex(/^(?![.])[^/\\\0]+(?:\/(?![.])[^/\\\0]+)*$/, "is a relative path with / and no part that begins with a dot");

/** The text of a SKILL.md, several files of which one is SKILL.md, or the path of a skill in the sandbox's workspace. */
export const SkillDefinition = z
  .strictObject({
    displayName: z.string().min(1).max(200).optional(),
    /** What an agent reads to decide whether it needs the skill. */
    description: z.string().min(1).max(1024),
    body: z.string().min(1).max(maxSkillCharacters).optional(),
    files: z.record(SkillPath, z.string().max(maxSkillCharacters)).optional(),
    path: z
      .string()
      .max(1000)
      .regex(/^\/workspace(?!.*\/\.\.?(?:\/|$))\/[^\0\\]+$/, "is a folder below /workspace/")
      .optional(),
  })
  .superRefine(({ body, files, path }, context) => {
    const given = [body, files, path].filter((part) => part !== undefined);
    if (given.length !== 1) context.addIssue({ code: "custom", message: "give exactly one of body, files and path" });
    if (files === undefined) return;
    const refuse = (message: string) => context.addIssue({ code: "custom", path: ["files"], message });
    if (files["SKILL.md"] === undefined) refuse("needs a file SKILL.md");
    if (Object.keys(files).length > 200) refuse("at most 200 files");
    if (Object.values(files).reduce((sum, text) => sum + text.length, 0) > maxSkillCharacters)
      refuse(`at most ${maxSkillCharacters.toLocaleString("en")} characters together`);
  });
export type SkillDefinition = z.infer<typeof SkillDefinition>;
