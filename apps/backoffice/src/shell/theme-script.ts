/** Where the chosen theme is kept: "light", "dark" or "system" (the default). */
export const themeStorageKey = "wheelhouse:theme";

/** Runs before the first paint. Plain ES5 text: no bundler touches it. */
export const themeScript = `(function(){try{var t=localStorage.getItem("${themeStorageKey}");var d=t==="dark"||(t!=="light"&&matchMedia("(prefers-color-scheme: dark)").matches);document.documentElement.setAttribute("data-mode",d?"dark":"light")}catch(e){document.documentElement.setAttribute("data-mode","light")}})()`;
