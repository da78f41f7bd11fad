import { join } from 'node:path'
import { createCertificates } from '../bin/local/certificates.ts'
import { freePorts } from '../bin/local/ports.ts'
import { openNoise, type Noise } from './neighbour/noise.ts'
import { openVictim, type Figures } from './neighbour/victim.ts'
import { nextMessage, startIn } from './shared/child.ts'
import { temporaryFolder as folder } from './shared/folder.ts'
import { openBenchServers } from './shared/servers.ts'

/**
 * `npm run bench -- neighbour`: the effect on an owner of others who use up a share of the platform, at the default
 * limits. For each share, first one owner uses it up, then forty accounts together. Two systems run side by side with
 * the same owner activity, and only one has the noise, so both suffer from a busy machine. The results are the owner's
 * requests (95th percentile), starts of runs and callbacks (medians), relative to the idle system. `-- <words>`
 * selects shares.
 */
const { caFile, certFile, keyFile } = await createCertificates(join(folder, 'certificates'))
const [quickPort = 0, tarpitPort = 0] = await freePorts(2)
const settings = {
  SITE_ALLOW: `127.0.0.1:${quickPort},localhost:${tarpitPort}`,
  SITE_CA_FILE: caFile,
  DEMO_DIRECTIVES: 'true',
  ACCESS_TOKEN_SECONDS: '3600',
  RATE_LIMIT_STORE: 'postgres',
  RATE_LIMIT_PER_MINUTE: '300',
  RATE_LIMIT_WEBHOOK_PER_MINUTE: '6000',
  QUEUE_DEPTH: '10000',
}
/** Each system has its own folder. */
const openSystem = (name: string) => openBenchServers(join(folder, name), true, settings)
const idleServers = await openSystem('idle')
const servers = await openSystem('noisy')
const start = startIn(new URL('neighbour/', import.meta.url))
const receivers = start('receivers', String(quickPort), String(tarpitPort), certFile, keyFile)
await nextMessage(receivers)

const ratios = (idle: Figures, meanwhile: Figures): Figures => ({
  requestMs: meanwhile.requestMs / idle.requestMs,
  startMs: meanwhile.startMs / idle.startMs,
  callbackMs: meanwhile.callbackMs / idle.callbackMs,
})
const inWords = ({ requestMs, startMs, callbackMs }: Figures, unit = ' ms') =>
  [requestMs, startMs, callbackMs].map((value) => value.toFixed(unit === '' ? 2 : 1).padStart(7) + unit).join('  ')

async function measure(name: string, noise: Noise): Promise<Figures> {
  await noise.prepare()
  await noise.begin()
  const [idle, meanwhile] = await Promise.all([beside.measure(), victim.measure()])
  await noise.end()
  const ratio = ratios(idle, meanwhile)
  console.log(`${name.padEnd(40)} idle ${inWords(idle)}   noisy ${inWords(meanwhile)}   ratio ${inWords(ratio, '')}`)
  return ratio
}

const receiver = `https://127.0.0.1:${quickPort}`
const beside = await openVictim(idleServers, receiver, { receivers, start })
const victim = await openVictim(servers, receiver, { receivers, start })
const noises = openNoise(servers, `https://localhost:${tarpitPort}`, start)
const wanted = process.argv.slice(2)
try {
  console.log('requests (p95), starts and callbacks (medians)')
  await Promise.all([beside.measure(), victim.measure()])
  const worst: Figures = { requestMs: 0, startMs: 0, callbackMs: 0 }
  for (const [name, noise] of Object.entries(noises)) {
    if (!wanted.every((word) => name.includes(word))) continue
    const ratio = await measure(name, noise)
    for (const key of ['requestMs', 'startMs', 'callbackMs'] as const) worst[key] = Math.max(worst[key], ratio[key])
  }
  console.log(`the highest ratios: ${inWords(worst, '')}`)
} finally {
  victim.close()
  beside.close()
  receivers.disconnect()
  await servers.close()
  await idleServers.close()
}
