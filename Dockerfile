# syntax=docker/dockerfile:1
FROM node:22-bookworm-slim AS build
# For better-sqlite3, where no ready-made build fits this system.
RUN apt-get update && apt-get install -y --no-install-recommends python3 make g++ && rm -rf /var/lib/apt/lists/*
WORKDIR /app
# Manifests alone first, so that a change of a source file does not install again.
COPY package.json package-lock.json .npmrc ./
COPY apps/server/package.json apps/server/
COPY apps/backoffice/package.json apps/backoffice/
COPY packages/artifacts/package.json packages/artifacts/
COPY packages/client/package.json packages/client/
COPY packages/domain/package.json packages/domain/
COPY packages/graphql/package.json packages/graphql/
COPY packages/registry/package.json packages/registry/
COPY packages/runtime/package.json packages/runtime/
COPY packages/storage/package.json packages/storage/
RUN npm ci
COPY . .
RUN npm run generate && NEXT_TELEMETRY_DISABLED=1 npx next build apps/backoffice \
  && rm -rf apps/backoffice/.next/cache apps/backoffice/.next/dev \
  && npm prune --omit=dev

FROM node:22-bookworm-slim
ENV NODE_ENV=production HOST=0.0.0.0 PORT=4000 DATABASE_URL=file:/data/wheelhouse.db WHEELHOUSE_DATA_DIR=/data
WORKDIR /app
COPY --from=build /app ./
RUN mkdir /data && chown node:node /data
USER node
VOLUME /data
EXPOSE 4000
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/readyz`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
# Node is asked directly, so that it receives SIGTERM and can let its runs finish.
CMD ["node", "--import", "tsx", "apps/server/src/main.ts", "serve"]
