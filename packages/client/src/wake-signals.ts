/** Something that can be listened to, as `window` and `document` are; absent outside browsers. */
interface Listenable {
  addEventListener(type: string, listener: () => void): void;
  removeEventListener(type: string, listener: () => void): void;
}

/**
 * Calls `wake` when the browser says that the network came back or the page became visible again.
 * Returns the function that stops listening. Does nothing where there is no browser.
 */
export function onWakeSignals(wake: () => void): () => void {
  const host: unknown = globalThis;
  const page: unknown = Reflect.get(globalThis, "document");
  const whenVisible = (): void => {
    if (isListenable(page) && Reflect.get(page, "visibilityState") === "visible") wake();
  };
  const sources: [unknown, string, () => void][] = [
    [host, "online", wake],
    [page, "visibilitychange", whenVisible],
  ];
  for (const [source, type, listener] of sources) if (isListenable(source)) source.addEventListener(type, listener);
  return () => {
    for (const [source, type, listener] of sources) {
      if (isListenable(source)) source.removeEventListener(type, listener);
    }
  };
}

const isListenable = (value: unknown): value is Listenable =>
  typeof value === "object" &&
  value !== null &&
  typeof Reflect.get(value, "addEventListener") === "function" &&
  typeof Reflect.get(value, "removeEventListener") === "function";
