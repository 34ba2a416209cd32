import "react";

declare module "react" {
  /** Styles may set variables of their own. */
  interface CSSProperties {
    [variable: `--${string}`]: string | number | undefined;
  }
}
