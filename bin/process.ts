import { migrations } from '../migrations/index.ts'
import { readConfig, type Config } from '../src/config/config.ts'
import { ConfigError } from '../src/config/environment.ts'
import type { Prove } from '../src/database/database.ts'
import { assertSchema, OtherSchemaError } from '../src/database/migrate.ts'
import { createLogger, type Logger } from '../src/logger.ts'
import { createServices, type Services } from '../src/services.ts'
import { reportEventLoop } from './event-loop.ts'

export interface ProcessContext {
  config: Config
  logger: Logger
  services: Services
  /** Where Temporal's core serves its own metrics in this process, if it does. */
  temporalMetrics?: string
}

/**
 * Runs one process of the platform: reads the configuration, creates the services and calls `start`. On SIGTERM or
 * SIGINT it calls the function that `start` returned, closes the services and exits. A stop is cut off a little after
 * SHUTDOWN_SECONDS.
 */
export async function startProcess(
  name: string,
  start: (context: ProcessContext) => Promise<() => Promise<void>>,
): Promise<void> {
  const config = read()
  const logger = createLogger(config.logLevel, name)
  reportEventLoop(logger)
  let services: Services | undefined
  try {
    const opened = createServices(config, logger, { prove: schemaProof(logger), migrations })
    services = opened
    await opened.vaultKeys.proveAtStart({ logger, refuse: (error) => refuse(error, logger) })
    await opened.tracing.start()
    const stop = await start({ config, logger, services })
    const onSignal = once(() => void shutDown(config, logger, opened, stop))
    process.on('SIGTERM', onSignal).on('SIGINT', onSignal)
  } catch (error) {
    logger.fatal({ err: error }, 'startup failed')
    process.exitCode = 1
    await services?.close()
  }
}

function read(): Config {
  try {
    return readConfig()
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    console.error(error.message)
    return process.exit(1)
  }
}

/** The pool checks this first, also when Postgres was unavailable at startup and everything already runs. */
const schemaProof =
  (logger: Logger): Prove =>
  async (database, connection) => {
    try {
      await assertSchema(database, migrations, connection)
    } catch (error) {
      if (error instanceof OtherSchemaError) refuse(error, logger)
      throw error
    }
  }

/** Exits immediately, because nothing may be written to this database or with these keys. */
function refuse({ name, message }: Error, logger: Logger): never {
  logger.fatal({ name, message }, 'startup refused')
  console.error(message)
  process.exit(1)
}

async function shutDown(config: Config, logger: Logger, services: Services, stop: () => Promise<void>): Promise<void> {
  logger.info('stopping')
  setTimeout(
    () => {
      logger.fatal('shutdown timed out')
      void signOff(services).finally(() => process.exit(1))
    },
    (config.shutdownSeconds + 5) * 1000,
  ).unref()
  try {
    await Promise.all([stop(), services.chat.drain()])
    await services.close()
    logger.info('stopped')
    process.exit(0)
  } catch (error) {
    logger.fatal({ err: error }, 'shutdown failed')
    process.exit(1)
  }
}

/** A process that could not end its work must not count as frozen. Waits a second at most. */
async function signOff({ processes, workers }: Services): Promise<void> {
  const late = new Promise((resolve) => setTimeout(resolve, 1000))
  await Promise.race([Promise.allSettled([processes.signOff(), workers.signOff()]), late])
}

function once(work: () => void): () => void {
  let done = false
  return () => {
    if (!done) work()
    done = true
  }
}
