# One image for the API, the worker and the migration job. Debian, because the Temporal SDK does not load on Alpine.
# `npm run check -- image` runs these steps without a container engine, on a minimal Debian with this version of Node.
# Not tried: this base image from its registry, by its digest.
FROM node:24.21.0-bookworm-slim@sha256:2fe369e969550cde8e867afc3fe370b260140cab4a23d467074295b42163d553 AS console
WORKDIR /app
COPY package.json package-lock.json tsconfig.json ./
RUN npm ci --ignore-scripts
COPY console console
RUN NODE_ENV=production node_modules/.bin/vite build --config console/vite.config.ts --logLevel warn

FROM node:24.21.0-bookworm-slim@sha256:2fe369e969550cde8e867afc3fe370b260140cab4a23d467074295b42163d553

ENV NODE_ENV=production
WORKDIR /app
COPY package.json package-lock.json ./
# None of the packages that are left needs its install script.
RUN npm ci --omit=dev --ignore-scripts && npm cache clean --force
COPY src src
COPY api api
COPY activities activities
COPY workflows workflows
COPY migrations migrations
COPY bin bin
COPY check-site check-site
# The API serves the guide, the console and the templates.
COPY docs docs
COPY --from=console /app/console/dist console/dist
COPY examples/templates examples/templates
USER node
EXPOSE 3000
CMD ["node", "--max-semi-space-size=16", "--heap-growing-percent=20", "bin/api.ts"]
