export function endAll(): Promise<void>;
export function endOnSignals(): () => void;
