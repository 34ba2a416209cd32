export function startThrowawayPostgres(options?: {
  durable?: boolean;
}): Promise<{ url: string; missing?: undefined } | { url?: undefined; missing: string }>;
