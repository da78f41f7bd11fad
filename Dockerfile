# One image for the API, the worker and the migration job. Debian, because the Temporal SDK does not load on Alpine.
FROM node:24.21.0-bookworm-slim

ENV NODE_ENV=production
WORKDIR /app
COPY package.json package-lock.json ./
# The install scripts fetch a Node and a Postgres, for machines that have none; here they are not needed.
RUN npm ci --omit=dev --ignore-scripts && npm cache clean --force
COPY src src
COPY api api
COPY activities activities
COPY workflows workflows
COPY migrations migrations
COPY bin bin
COPY check-site check-site
USER node
EXPOSE 3000
CMD ["node", "bin/api.ts"]
