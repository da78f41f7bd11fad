import { existsSync } from 'node:fs'
import * as v from 'valibot'
import { expectedForm } from './expected-form.ts'
import { clientId, clientSecret, issuer, title } from './oidc-format.ts'
import { baseUrl, key } from './provider-formats.ts'
import { withFiles } from './setting-files.ts'
import {
  clientIds,
  dollars,
  flag,
  list,
  mailbox,
  metricsToken,
  optionalText,
  optionalWebAddress,
  optionalWhole,
  origins,
  otlpHeaders,
  pems,
  samplers,
  seconds,
  share,
  smtpUrl,
  text,
  url,
  vaultKeys,
  whole,
} from './settings.ts'
import { stripeKey, stripeUrl, stripeWebhookSecret } from './stripe-format.ts'

export type Environment = Record<string, string | undefined>

/** All settings of the API and the worker, with their defaults. Only this file reads the environment. */
export const settings = v.object({
  DATABASE_URL: v.pipe(v.string('is required, for example postgres://user:password@127.0.0.1:5432/switchyard')),
  DATABASE_POOL: whole(10, 2, 200),
  DATABASE_WAIT_SECONDS: seconds(5, 1, 60),
  TEMPORAL_ADDRESS: text('127.0.0.1:7233'),
  TEMPORAL_NAMESPACE: text('default'),
  TEMPORAL_API_KEY: optionalText(),
  TEMPORAL_TLS: flag(false),
  TEMPORAL_UI_URL: optionalWebAddress(),
  TASK_QUEUE: text('switchyard'),
  HOST: text('127.0.0.1'),
  PORT: whole(3000, 0, 65_535),
  BASE_URL: url('http://127.0.0.1:3000'),
  TRUSTED_PROXIES: whole(0, 0, 10),
  CORS_ORIGINS: origins,
  LOG_LEVEL: v.optional(v.picklist(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']), 'info'),
  VAULT_KEYS: vaultKeys,
  JWT_PRIVATE_KEY: pems,
  ACCESS_TOKEN_SECONDS: whole(900, 1, 3600),
  REFRESH_TOKEN_DAYS: whole(30, 1, 365),
  SESSION_HOURS: whole(24, 1, 168),
  SESSION_IDLE_MINUTES: whole(120, 5, 1440),
  REGISTRATION: v.optional(v.picklist(['open', 'invited', 'closed']), 'open'),
  OIDC_PROVIDERS_FILE: optionalText(),
  OIDC_ISSUER: v.optional(issuer),
  OIDC_CLIENT_ID: v.optional(clientId),
  OIDC_CLIENT_SECRET: v.optional(clientSecret),
  OIDC_TITLE: v.optional(title),
  TERMS_VERSION: text('2026-11-01'),
  SITE_ALLOW: list(),
  SITE_LOOPBACK: flag(false),
  SITE_CA_FILE: optionalText(),
  SITE_TIMEOUT_SECONDS: seconds(30, 0.1, 300),
  TOKEN_TIMEOUT_SECONDS: seconds(10, 0.1, 60),
  OUTGOING_PER_MINUTE: whole(10),
  OUTGOING_COUNT_PORTS: flag(false),
  OUTGOING_HOLD_MINUTES: whole(60, 1, 1440),
  CATALOGUE_FOLDERS: list(),
  OAUTH_CLIENT_ID: text('switchyard'),
  OAUTH_CLIENT_IDS: clientIds,
  KEEP_ALIVE_DAYS: whole(25, 1, 365),
  MANIFEST_TIMEOUT_SECONDS: seconds(10, 0.1, 60),
  MANIFEST_BYTES: whole(256 * 1024),
  MANIFEST_CHECK_HOURS: whole(24, 1, 720),
  TOOL_RESULT_BYTES: whole(1024 * 1024),
  BODY_BYTES: whole(256 * 1024),
  WEBHOOK_BODY_BYTES: whole(1024 * 1024),
  RATE_LIMIT_STORE: v.optional(v.picklist(['postgres', 'memory']), 'postgres'),
  RATE_LIMIT_PER_MINUTE: whole(300),
  RATE_LIMIT_CHANGES_PER_MINUTE: whole(60),
  RATE_LIMIT_CHANGES_PER_DAY: whole(2000),
  RATE_LIMIT_AUTH_PER_MINUTE: whole(20),
  RATE_LIMIT_RECOVERY_PER_HOUR: whole(20),
  RATE_LIMIT_TRIES_PER_HOUR: whole(100),
  RATE_LIMIT_BROWSER_PER_MINUTE: whole(120),
  RATE_LIMIT_WEBHOOK_PER_MINUTE: whole(6000),
  RATE_LIMIT_WEBHOOK_FAILED_PER_MINUTE: whole(60),
  QUEUE_DEPTH: whole(10_000),
  RUN_STEPS: whole(25),
  RUN_TOOL_CALLS: whole(50, 1, 10_000),
  RUN_TOKENS: whole(1_000_000),
  RUN_CREDITS: whole(500),
  RUN_MINUTES: whole(15),
  RUN_WAIT_SECONDS: seconds(24 * 60 * 60, 0.1, 24 * 60 * 60),
  CALLBACK_TIMEOUT_SECONDS: seconds(10, 0.1, 60),
  CALLBACK_HOURS: whole(24, 1, 168),
  MODEL_TIMEOUT_SECONDS: seconds(300, 0.1, 3600),
  CHAT_TIMEOUT_SECONDS: seconds(90, 0.1, 3600),
  CHAT_START_SECONDS: seconds(1, 0.1, 60),
  DEMO_DIRECTIVES: flag(false),
  MODELS_FILE: optionalText(),
  OPENAI_MODEL: v.optional(
    v.pipe(v.string(), v.regex(/^(?!demo$)[\w.:/@-]{1,100}$/, 'must be the name of a model, such as gpt-5-mini')),
  ),
  OPENAI_API_KEY: v.optional(key),
  OPENAI_BASE_URL: v.optional(baseUrl),
  CREDIT_USD: dollars(0.004),
  BILLING: v.optional(v.picklist(['off', 'sandbox', 'stripe'])),
  BILLING_SANDBOX_WITH_PAID_MODELS: flag(false),
  LIMIT_AGENTS: whole(100),
  LIMIT_VAULT_SITES: whole(200),
  LIMIT_API_KEYS: whole(50),
  LIMIT_WORKSPACES: whole(10, 0),
  LIMIT_WORKSPACE_MEMBERS: whole(100),
  LIMIT_REQUESTS_PER_MINUTE: whole(1800),
  LIMIT_OPEN_STREAMS: whole(500),
  LIMIT_DELIVERIES_PER_MINUTE: whole(20_000),
  LIMIT_INPUT_BYTES_PER_MINUTE: whole(256 * 1024 ** 2, 1, 1024 ** 4),
  LIMIT_STORED_BYTES: whole(64 * 1024 ** 3, 1, 1024 ** 5),
  LIMIT_TOKENS_PER_MONTH: optionalWhole(0, 1e12),
  STRIPE_SECRET_KEY: v.optional(stripeKey),
  STRIPE_WEBHOOK_SECRET: v.optional(stripeWebhookSecret),
  STRIPE_API_URL: stripeUrl,
  CREDITS_CENTS_PER_HUNDRED: whole(100, 1, 1_000_000),
  SMTP_URL: smtpUrl,
  SMTP_TIMEOUT_SECONDS: seconds(10, 0.1, 60),
  MAIL_FROM: mailbox,
  RECONCILE_SECONDS: seconds(2, 0.1, 60),
  STALL_SECONDS: seconds(10, 0.1, 600),
  CANCEL_SECONDS: seconds(6, 0.1, 60),
  SCHEDULE_CATCH_UP_SECONDS: whole(300, 10, 24 * 60 * 60),
  QUEUE_BLOCKED_SECONDS: seconds(24 * 60 * 60, 0.1, 30 * 24 * 60 * 60),
  RUN_RETENTION_DAYS: whole(90, 1, 3650),
  AUDIT_DAYS: whole(400, 1, 3650),
  ACCOUNT_GRACE_DAYS: whole(30, 0, 365),
  BACKUP_MAX_AGE_HOURS: whole(26, 1, 8760),
  STREAM_POLL_MS: whole(500, 20, 10_000),
  STREAM_KEEP_ALIVE_SECONDS: seconds(15, 0.1, 600),
  STREAM_CHECK_SECONDS: seconds(15, 0.1, 600),
  STREAM_STALL_SECONDS: seconds(30, 0.1, 600),
  STREAM_LIMIT: whole(4000),
  CONNECTION_LIMIT: whole(10_000),
  WORKER_ACTIVITIES: whole(100, 1, 1000),
  WORKER_HEALTH_PORT: whole(0, 0, 65_535),
  METRICS_TOKEN: metricsToken,
  CANARY_SECONDS: seconds(30, 0, 3600),
  CANARY_URL: optionalWebAddress(),
  OTEL_EXPORTER_OTLP_ENDPOINT: optionalWebAddress(),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: optionalWebAddress(),
  OTEL_EXPORTER_OTLP_HEADERS: otlpHeaders,
  OTEL_TRACES_SAMPLER: v.optional(v.picklist(samplers), 'parentbased_always_on'),
  OTEL_TRACES_SAMPLER_ARG: share,
  OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: flag(false),
  SHUTDOWN_SECONDS: seconds(20, 0.1, 600),
})

/** An invalid environment, with all problems, one sentence each. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
  readonly problems: string[]
  constructor(problems: string[]) {
    super(`The configuration is invalid:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`)
    this.problems = problems
  }
}

/** The validated and frozen settings of a schema. Throws a ConfigError that names every problem. */
export function readEnvironment<S extends v.GenericSchema<unknown, object> & { entries: object }>(
  schema: S,
  env: Environment = process.env,
): Readonly<v.InferOutput<S>> {
  // A migration job has the file of its database, and no key files.
  const names = Object.keys(schema.entries)
  const read = withFiles(present(env), names)
  // Each name is present, so a missing setting gets its own message.
  const variables = Object.fromEntries(names.map((name) => [name, read.env[name]]))
  const result = v.safeParse(schema, variables, { message: expectedForm })
  const issues = result.issues?.map((issue) => `${v.getDotPath(issue) ?? 'environment'} ${issue.message}`) ?? []
  // An unreadable file is one problem. It must not also count as a missing setting.
  const problems = [...read.problems, ...issues.filter((issue) => !isOfFile(issue, read.problems))]
  if (result.success && problems.length === 0) return freeze(result.output)
  throw new ConfigError(problems)
}

const isOfFile = (issue: string, problems: string[]): boolean =>
  problems.some((problem) => problem.startsWith(`${issue.split(' ')[0]}_FILE `))

/** Drops empty variables, so that `.env` files may list names without values. */
export function present(env: Environment = process.env): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).filter((pair): pair is [string, string] => pair[1] !== undefined && pair[1] !== ''),
  )
}

/** Loads a `.env` file, if it exists, into the environment. Existing variables win. */
export function loadEnvFile(file = '.env'): void {
  if (existsSync(file)) process.loadEnvFile(file)
}

/** Settings do not change while the program runs. */
export function freeze<T extends object>(value: T): Readonly<T> {
  for (const inner of Object.values(value)) {
    if (typeof inner === 'object' && inner !== null && !Buffer.isBuffer(inner)) freeze(inner as object)
  }
  return Object.freeze(value)
}
