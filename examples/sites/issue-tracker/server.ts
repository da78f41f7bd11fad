import { listen, type ListenOptions } from '../https-server.ts'
import { createRequestLog, type LoggedRequest } from '../request-log.ts'
import { keptFile } from '../kept-file.ts'
import { createApp } from './app.ts'
import { createIssues } from './issues.ts'
import { createKeptAnswers } from './kept-answers.ts'
import { createLimits, type LimitOptions } from './limits.ts'
import { createTokens, type Role } from './tokens.ts'
import { createTools } from './tools.ts'

export interface IssueTrackerOptions extends ListenOptions {
  limits?: LimitOptions
  /** Refuse callers whose User-Agent does not start with `Switchyard/`; off by default. */
  platformOnly?: boolean
  /** The clock of tokens, in milliseconds since 1970. */
  now?: () => number
  /** Where tokens outlive the process; by default they end with it. */
  tokenFile?: string | undefined
}

export interface IssueTracker {
  origin: string
  /** The tool calls received, newest last. */
  requests: () => LoggedRequest[]
  /** A token like those of the settings page; for an editor by default. */
  createToken: (user: string, role?: Role) => string
  close: () => Promise<void>
}

/** Starts the tracker with sample issues. Throws if the port is taken. */
export async function startIssueTracker(options: IssueTrackerOptions): Promise<IssueTracker> {
  const { server, origin, close } = await listen(options)
  const log = createRequestLog()
  const tokens = createTokens(options.now, keptFile(options.tokenFile))
  const app = createApp({
    origin,
    log,
    tokens,
    tools: createTools(createIssues()),
    limits: createLimits(options.limits),
    keptAnswers: createKeptAnswers(),
    platformOnly: options.platformOnly ?? false,
  })
  const answer = app.callback()
  server.on('request', (request, response) => void answer(request, response))
  return { origin, requests: log.list, createToken: (user, role) => tokens.create(user, role).token, close }
}
