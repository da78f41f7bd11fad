/** Replaces the program `sites`: names as many sites as it was given ports, and ends on SIGTERM only. */
const { length } = (process.argv[process.argv.indexOf('--ports') + 1] ?? '').split(',')
const timer = setInterval(() => undefined, 1000)
for (let site = 0; site < length; site += 1) process.stdout.write(`${JSON.stringify({ origin: 'none' })}\n`)
process.once('SIGTERM', () => clearInterval(timer))
