/** How often a process under npm checks that npm is still alive. */
const lookEveryMs = 500

/**
 * Calls back on each request to stop: Ctrl-C, a signal, or the end of the npm that runs this process. npm sends
 * SIGTERM to the shell between us, which does not forward it; this process only sees its parent change.
 */
export function onStopRequest(environment: Record<string, string>, asked: () => void): void {
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
