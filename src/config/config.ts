import * as v from 'valibot'
import { allowanceProblem } from '../safe-fetch/allowed-sites.ts'
import { freeze, readEnvironment, settings, type Environment } from './environment.ts'
import { callbacksOf, databaseOf, mailOf, temporalOf } from './groups.ts'
import { readModels } from './read-models.ts'
import { readAll } from './read-all.ts'
import type { ModelsConfig } from './models-config.ts'
import { readBilling } from './read-billing.ts'
import { readOidc, type OidcConfig } from './read-oidc.ts'
import { refuseUnknown } from './unknown-settings.ts'

const problemOfSites = ({
  SITE_ALLOW: allow,
  SITE_LOOPBACK: loopback,
}: {
  SITE_ALLOW: string[]
  SITE_LOOPBACK: boolean
}) => allowanceProblem({ allow, loopback })

/** Mail servers reject mail without a sender, and payment events that cannot be verified are refused. */
const consistent = v.pipe(
  settings,
  v.forward(
    v.partialCheck(
      [['SITE_ALLOW'], ['SITE_LOOPBACK']],
      (sites) => problemOfSites(sites) === undefined,
      ({ input }) => `is not usable: ${problemOfSites(input)}`,
    ),
    ['SITE_ALLOW'],
  ),
  v.forward(
    v.partialCheck(
      [['SMTP_URL'], ['MAIL_FROM']],
      ({ SMTP_URL, MAIL_FROM }) => SMTP_URL === undefined || MAIL_FROM !== undefined,
      'is required if SMTP_URL is set',
    ),
    ['MAIL_FROM'],
  ),
  v.forward(
    v.partialCheck(
      [['STRIPE_SECRET_KEY'], ['STRIPE_WEBHOOK_SECRET']],
      ({ STRIPE_SECRET_KEY: key, STRIPE_WEBHOOK_SECRET: secret }) => (key === undefined) === (secret === undefined),
      'is required if STRIPE_SECRET_KEY is set, and not allowed otherwise',
    ),
    ['STRIPE_WEBHOOK_SECRET'],
  ),
  v.forward(
    v.partialCheck(
      [['STRIPE_SECRET_KEY'], ['CREDITS_CENTS_PER_HUNDRED']],
      ({ STRIPE_SECRET_KEY: key, CREDITS_CENTS_PER_HUNDRED: cents }) =>
        key === undefined || (cents >= 50 && cents < 10_000),
      // 100 credits are the smallest purchase, and 1,000,000 the largest.
      'must be from 50 to 9999 with Stripe, which allows charges from 0.50 to 999,999.99 USD',
    ),
    ['CREDITS_CENTS_PER_HUNDRED'],
  ),
)

export type Config = Readonly<ReturnType<typeof shape>>

/** Reads and validates the environment, by default this process's. Throws a ConfigError that names every problem. */
export function readConfig(env?: Environment): Config {
  const { read, models, oidc } = readAll({
    unknown: () => refuseUnknown(env),
    read: () => readEnvironment(consistent, env),
    models: () => readModels(env),
    oidc: () => readOidc(env),
  })
  return freeze(shape(read, models, oidc, readBilling(models, env)))
}

/** The settings, grouped by user. Names of durations and sizes contain the unit. */
function shape(
  env: Readonly<v.InferOutput<typeof settings>>,
  models: ModelsConfig,
  oidc: OidcConfig,
  billing: ReturnType<typeof readBilling>,
) {
  return {
    database: databaseOf(env),
    temporal: temporalOf(env),
    http: {
      host: env.HOST,
      port: env.PORT,
      baseUrl: env.BASE_URL,
      trustedProxies: env.TRUSTED_PROXIES,
      maxConnections: env.CONNECTION_LIMIT,
      /** Origins whose web pages may call the API; `*` alone allows any. */
      corsOrigins: env.CORS_ORIGINS,
    },
    logLevel: env.LOG_LEVEL,
    vaultKeys: env.VAULT_KEYS,
    auth: {
      /** In PEM. The first signs and verifies access tokens, the others only verify. */
      privateKeys: env.JWT_PRIVATE_KEY,
      /** Who may create an account: everybody, invited people, or nobody. */
      registration: env.REGISTRATION,
      accessTokenSeconds: env.ACCESS_TOKEN_SECONDS,
      refreshTokenDays: env.REFRESH_TOKEN_DAYS,
      termsVersion: env.TERMS_VERSION,
    },
    signIn: oidc,
    /** The lifetime of a chat session, and of an idle one. */
    sessions: { hours: env.SESSION_HOURS, idleMinutes: env.SESSION_IDLE_MINUTES },
    sites: {
      /** Hosts, `*.` domains and networks whose sites may have private addresses. */
      allow: env.SITE_ALLOW,
      loopback: env.SITE_LOOPBACK,
      caFile: env.SITE_CA_FILE,
      timeoutSeconds: env.SITE_TIMEOUT_SECONDS,
      /** The timeout of a request to a site's token or revocation endpoint. */
      tokenTimeoutSeconds: env.TOKEN_TIMEOUT_SECONDS,
      /** The rate of tool calls to one host, over all processes. */
      callsPerMinute: env.OUTGOING_PER_MINUTE,
      /** Whether each port of a host has its own limit, for sites that share an address. */
      countPorts: env.OUTGOING_COUNT_PORTS,
      holdMinutes: env.OUTGOING_HOLD_MINUTES,
      manifestTimeoutSeconds: env.MANIFEST_TIMEOUT_SECONDS,
      manifestBytes: env.MANIFEST_BYTES,
      /** How often a pinned manifest is compared with the site's current one. */
      manifestCheckHours: env.MANIFEST_CHECK_HOURS,
      resultBytes: env.TOOL_RESULT_BYTES,
    },
    /** The folders with the entries of the catalogue. */
    catalogueFolders: env.CATALOGUE_FOLDERS,
    oauth: {
      clientId: env.OAUTH_CLIENT_ID,
      clientIds: env.OAUTH_CLIENT_IDS,
      /** Grants idle for this long are refreshed, because refresh tokens expire. */
      keepAliveDays: env.KEEP_ALIVE_DAYS,
    },
    bodies: { defaultBytes: env.BODY_BYTES, webhookBytes: env.WEBHOOK_BODY_BYTES },
    rateLimits: {
      store: env.RATE_LIMIT_STORE,
      callerPerMinute: env.RATE_LIMIT_PER_MINUTE,
      authPerMinute: env.RATE_LIMIT_AUTH_PER_MINUTE,
      changesPerMinute: env.RATE_LIMIT_CHANGES_PER_MINUTE,
      changesPerDay: env.RATE_LIMIT_CHANGES_PER_DAY,
      recoveryPerHour: env.RATE_LIMIT_RECOVERY_PER_HOUR,
      triesPerHour: env.RATE_LIMIT_TRIES_PER_HOUR,
      browserPerMinute: env.RATE_LIMIT_BROWSER_PER_MINUTE,
      webhookPerMinute: env.RATE_LIMIT_WEBHOOK_PER_MINUTE,
      webhookFailedPerMinute: env.RATE_LIMIT_WEBHOOK_FAILED_PER_MINUTE,
    },
    queueDepth: env.QUEUE_DEPTH,
    budgets: {
      steps: env.RUN_STEPS,
      toolCalls: env.RUN_TOOL_CALLS,
      tokens: env.RUN_TOKENS,
      credits: env.RUN_CREDITS,
      minutes: env.RUN_MINUTES,
      /** The sum of all waits of a run. They do not count towards `minutes`. */
      waitSeconds: env.RUN_WAIT_SECONDS,
      /** The longest time between two records of a run that is worked on: of one model call, or of one tool call. */
      longestWorkSeconds:
        Math.max(env.MODEL_TIMEOUT_SECONDS, 4 * env.SITE_TIMEOUT_SECONDS + 2 * env.TOKEN_TIMEOUT_SECONDS) + 60,
    },
    models: { ...models, timeoutSeconds: env.MODEL_TIMEOUT_SECONDS, demoDirectives: env.DEMO_DIRECTIVES },
    /** The longest duration of a chat answer. Waiting for its turn and for approvals does not count. */
    chat: { timeoutSeconds: env.CHAT_TIMEOUT_SECONDS, startSeconds: env.CHAT_START_SECONDS },
    /** The price of one credit in USD. A step costs as many credits as its tokens do. */
    creditUsd: env.CREDIT_USD,
    /** The payments. If a model costs money, nothing is free before an address is verified. */
    billing: { ...billing, limits: limitsOf(env) },
    stripe: stripeOf(env),
    centsPerHundredCredits: env.CREDITS_CENTS_PER_HUNDRED,
    /** The timeout of one callback attempt, and how long callbacks are retried. */
    callbacks: callbacksOf(env),
    mail: mailOf(env),
    /** How often due agents are checked, and after how long without progress an agent counts as stalled. */
    reconcile: { everySeconds: env.RECONCILE_SECONDS, stallSeconds: env.STALL_SECONDS },
    /** How long a cancelled run may take to end on its own. */
    cancelSeconds: env.CANCEL_SECONDS,
    /** How late a fire of a schedule may start. */
    scheduleCatchUpSeconds: env.SCHEDULE_CATCH_UP_SECONDS,
    /** How long a queued run waits for its owner to pay. */
    queueBlockedSeconds: env.QUEUE_BLOCKED_SECONDS,
    runRetentionDays: env.RUN_RETENTION_DAYS,
    auditDays: env.AUDIT_DAYS,
    accountGraceDays: env.ACCOUNT_GRACE_DAYS,
    /** The age of the last backup from which operators are warned. */
    backupMaxAgeHours: env.BACKUP_MAX_AGE_HOURS,
    streams: {
      pollMs: env.STREAM_POLL_MS,
      keepAliveSeconds: env.STREAM_KEEP_ALIVE_SECONDS,
      checkSeconds: env.STREAM_CHECK_SECONDS,
      stallSeconds: env.STREAM_STALL_SECONDS,
      limit: env.STREAM_LIMIT,
    },
    /**
     * Concurrent model calls, and concurrent tool calls, of a single owner in one worker. Several owners share twice as
     * many.
     */
    workerActivities: env.WORKER_ACTIVITIES,
    /** The port of a worker's health checks, at the API's host; 0 for none. */
    workerHealthPort: env.WORKER_HEALTH_PORT,
    /** The bearer token for the metrics. Without one, there are none. */
    metrics: { token: env.METRICS_TOKEN },
    /** How often the platform sends itself a delivery (0: never), and the address of its API for that. */
    canary: { everySeconds: env.CANARY_SECONDS, url: env.CANARY_URL ?? env.BASE_URL },
    shutdownSeconds: env.SHUTDOWN_SECONDS,
    tracing: tracingOf(env),
  }
}

/** Where traces are sent, if anywhere. */
function tracingOf(env: Readonly<v.InferOutput<typeof settings>>) {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: base, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: exact } = env
  const url = exact ?? (base && `${base}/v1/traces`)
  if (url === undefined) return undefined
  return {
    url,
    headers: env.OTEL_EXPORTER_OTLP_HEADERS,
    sampler: env.OTEL_TRACES_SAMPLER,
    /** For the samplers by ratio. */
    sampledPart: env.OTEL_TRACES_SAMPLER_ARG,
    /** Whether spans contain prompts, answers, arguments and results. */
    keepsContents: env.OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT,
  }
}

/** The limits of an account without payments. With payments, tiers set them. */
const limitsOf = (env: Readonly<v.InferOutput<typeof settings>>) => ({
  agents: env.LIMIT_AGENTS,
  vaultSites: env.LIMIT_VAULT_SITES,
  apiKeys: env.LIMIT_API_KEYS,
  workspaces: env.LIMIT_WORKSPACES,
  workspaceMembers: env.LIMIT_WORKSPACE_MEMBERS,
  requestsPerMinute: env.LIMIT_REQUESTS_PER_MINUTE,
  openStreams: env.LIMIT_OPEN_STREAMS,
  deliveriesPerMinute: env.LIMIT_DELIVERIES_PER_MINUTE,
  inputBytesPerMinute: env.LIMIT_INPUT_BYTES_PER_MINUTE,
  storedBytes: env.LIMIT_STORED_BYTES,
  tokensPerMonth: env.LIMIT_TOKENS_PER_MONTH ?? usualTokensPerMonth,
})

/** The usage of an account without an operator's limit. */
const usualTokensPerMonth = 10_000_000

function stripeOf(env: Readonly<v.InferOutput<typeof settings>>) {
  const { STRIPE_SECRET_KEY: secretKey, STRIPE_WEBHOOK_SECRET: webhookSecret, STRIPE_API_URL: apiUrl } = env
  return secretKey === undefined || webhookSecret === undefined ? undefined : { secretKey, webhookSecret, apiUrl }
}
