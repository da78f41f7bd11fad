export interface ClusterOptions {
  /** Where the state is kept. Postgres's user must be able to enter it if we are root. */
  folder: string
  /** Deletes the state of an earlier cluster first. */
  fresh?: boolean
  apis?: number
  workers?: number
  /** Settings of the API and the workers that override those of docker-compose.yml. */
  env?: Record<string, string>
  /** Also starts the example sites of `npm start`, with the settings to use them. */
  exampleSites?: boolean
  /** Whether the API and the workers reach Postgres through PgBouncer. */
  pooled?: boolean
  /** Puts a door between each API or worker and PgBouncer and Temporal, and between Caddy and each API. */
  doors?: boolean
  /** The port of Caddy. */
  port?: number
  /** The folder of the platform's code, if not this one. */
  code?: string
  /** Whether a program that ends unexpectedly is started again, as Compose does. */
  restarts?: boolean
  /** The environment of all programs, instead of that of this process. */
  environment?: Record<string, string>
  say?: (text: string) => void
}
