import { END, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { defineConfig } from "@wheelhouse/registry";
import { tell } from "./narrator.ts";

/** A checkpoint stands between the chapters. */
const story = new StateGraph(MessagesAnnotation)
  .addNode("chapter_1", tell(1))
  .addNode("chapter_2", tell(2))
  .addNode("chapter_3", tell(3))
  .addEdge(START, "chapter_1")
  .addEdge("chapter_1", "chapter_2")
  .addEdge("chapter_2", "chapter_3")
  .addEdge("chapter_3", END)
  .compile();

const broken = new StateGraph(MessagesAnnotation)
  .addNode("break", () => {
    throw new Error("The pencil broke.");
  })
  .addEdge(START, "break")
  .compile();

export default defineConfig({
  agents: {
    narrator: { graph: story, displayName: "Narrator", description: "Tells a long story, slowly." },
    broken: { graph: broken, displayName: "Broken", description: "Fails each time." },
  },
});
