import { once } from 'node:events'
import { parseArgs } from 'node:util'
import { readLocalConfig } from '../src/config/local-config.ts'
import { fill } from './fill/fill.ts'
import { readSize, sizeOptions } from './fill/size.ts'
import { openStore } from './shared/store.ts'

/**
 * `npm run bench -- fill --runs 20000000 --full 1000000`: fills the empty database of DATABASE_URL with months of use:
 * 20 million runs, one million of them with timelines. Without DATABASE_URL it starts its own Postgres in `--folder`,
 * fills the database `filled`, and keeps it running until Ctrl-C. It ignores `.env` files, which may name another
 * database.
 */
const { values } = parseArgs({ options: { ...sizeOptions, folder: { type: 'string', default: '.data/bench' } } })
const { folder, ...named } = values
const size = readSize(named)
const { DATABASE_URL } = readLocalConfig()

if (DATABASE_URL === undefined) {
  const store = await openStore(folder)
  try {
    const url = await store.database('filled')
    await fill(url, size, console.log)
    console.log(`It is at ${url} until Ctrl-C.`)
    await once(process, 'SIGINT')
  } finally {
    await store.close()
  }
} else {
  await fill(DATABASE_URL, size, console.log)
}
