import { DynamicStructuredTool, type StructuredTool } from "@langchain/core/tools";
import type { Manifest, ToolDefinition } from "@wheelhouse/domain";
import { RunRefusal } from "./classify-failure.ts";
import { type HttpToolDeps, httpTool } from "./http-tool.ts";
import { headerValues } from "./variables.ts";

export interface ToolSources extends HttpToolDeps {
  /** Tools that the host program registered. */
  tools?: readonly { name: string }[] | undefined;
}

/** The tools of these names: those of the pinned definitions, then those that the host program registered. */
export function namedTools(
  names: readonly string[],
  definitions: NonNullable<Manifest["tools"]>,
  sources: ToolSources,
): StructuredTool[] {
  return names.map((name) => {
    const definition = Object.hasOwn(definitions, name) ? definitions[name] : undefined;
    if (definition !== undefined) return definedTool(name, definition, sources);
    const found = registeredTool(name, sources);
    if (found === null)
      throw new RunRefusal(
        "CONFIG_INVALID",
        `The tool "${name}" is neither defined nor registered by the host program.`,
      );
    return found;
  });
}

function definedTool(name: string, definition: ToolDefinition, sources: ToolSources): StructuredTool {
  switch (definition.type) {
    case "http":
      headerValues(definition.headers, sources.env, `The tool "${name}" cannot be called`);
      return httpTool(name, definition, sources);
    case "retrieval":
      throw new RunRefusal(
        "CONFIG_INVALID",
        `The tool "${name}" searches a collection, and this installation has none.`,
      );
    case "code": {
      const found = registeredTool(definition.tool, sources);
      if (found === null)
        throw new RunRefusal(
          "CONFIG_INVALID",
          `The tool "${name}" stands for "${definition.tool}", which the host program did not register.`,
        );
      return underName(found, name, definition.description ?? found.description);
    }
  }
}

function registeredTool(name: string, { tools }: ToolSources): StructuredTool | null {
  const found = tools?.find((tool) => tool.name === name);
  return isTool(found) ? found : null;
}

const isTool = (value: object | undefined): value is StructuredTool => value !== undefined && "invoke" in value;

/** The same tool with other words. Its work is called directly, so that readers see one call, under this name. */
function underName(found: StructuredTool, name: string, description: string): StructuredTool {
  if (found.name === name && found.description === description) return found;
  const work: unknown = Reflect.get(found, "_call");
  if (typeof work !== "function")
    throw new RunRefusal("CONFIG_INVALID", `The tool "${found.name}" cannot be given the name "${name}".`);
  return new DynamicStructuredTool({
    name,
    description,
    schema: found.schema,
    responseFormat: found.responseFormat,
    returnDirect: found.returnDirect,
    ...(found.metadata === undefined ? {} : { metadata: found.metadata }),
    func: (args, manager, config) => Reflect.apply(work, found, [args, manager, config]),
  });
}
