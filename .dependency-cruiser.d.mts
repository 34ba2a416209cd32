import type { IConfiguration } from "dependency-cruiser";

declare const configuration: IConfiguration;
export default configuration;
