/** What stands for a kind of thing in an address, and how it is called. */
const nouns: Record<string, string> = {
  runs: 'run',
  agents: 'agent',
  approvals: 'approval',
  sites: 'site',
}

/** Lists to which somebody can go who did not find a thing. */
export type ListName = 'runs' | 'agents' | 'approvals' | 'sites'

interface Missing {
  title: string
  sentence: string
  /** The list of such things. */
  list: ListName | undefined
}

const ids = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/**
 * What an address did not lead to, and where it was looked for. `path` begins below `/console`. `place` is the owner
 * whose pages are open: a workspace or the account. undefined if the address names none that the reader sees.
 */
export function missingInWords(path: string, place: string | undefined): Missing {
  const names = path.split('/').filter(Boolean)
  const isOwned = names[0] === 'w'
  if (isOwned && place === undefined) return noWorkspace
  const [kind = '', id = ''] = isOwned ? names.slice(2) : names
  const noun = nouns[kind]
  const list = noun === undefined ? undefined : (kind as ListName)
  if (noun !== undefined && ids.test(id)) return noThing(noun, place, list)
  return {
    title: `${place ?? 'The console'} has no page at this address`,
    sentence: 'Check the address for a mistake.',
    list,
  }
}

const noWorkspace: Missing = {
  title: 'You are in no such workspace',
  sentence: 'It was deleted, or you are not a member of it. Ask one of its admins for an invitation.',
  list: undefined,
}

function noThing(noun: string, place: string | undefined, list: ListName | undefined): Missing {
  return place === undefined
    ? {
        title: `You have no ${noun} with this id`,
        sentence: `Neither your account nor its workspaces have it. It was deleted, or it belongs to somebody else.`,
        list: undefined,
      }
    : {
        title: `${place} has no ${noun} with this id`,
        sentence: `It was deleted, or it belongs to somebody else.`,
        list,
      }
}
