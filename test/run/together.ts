import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { filesToLoadTogether } from '../helpers/servers.ts'

/**
 * Every file of tests that needs no server, in one process: what they cost alone is mostly the start of a process.
 * `npm test` says which these are (arrange.ts). Named on its command line, each still runs alone.
 */
for (const file of filesToLoadTogether()) await import(pathToFileURL(resolve(file)).href)
