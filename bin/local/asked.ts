/** How often a start under npm looks whether npm is still there. */
const lookEveryMs = 500

/**
 * Calls back whenever somebody asks this process to stop: by Ctrl-C, by a signal, or by ending the npm that runs it.
 * npm hands a SIGTERM to the shell between us, which does not pass it on; all that is seen here is another parent.
 */
export function onAskedToStop(environment: Record<string, string>, asked: () => void): void {
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, asked)
  if (environment['npm_lifecycle_event'] === undefined) return
  const parent = process.ppid
  const timer = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(timer)
    asked()
  }, lookEveryMs)
  timer.unref()
}
