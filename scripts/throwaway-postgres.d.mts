export interface ThrowawayPostgres {
  url: string;
  restart(): Promise<void>;
  stop(): Promise<void>;
  missing?: undefined;
}

export function startThrowawayPostgres(options?: {
  durable?: boolean;
}): Promise<ThrowawayPostgres | { url?: undefined; missing: string }>;
