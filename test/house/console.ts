import type { SourceFile } from './source.ts'

/** A place that breaks a rule of the console. */
interface Breach {
  path: string
  problem: string
}

type Named = Pick<SourceFile, 'path'>

const mostLines = 200
const mostMedian = 60

const isConsole = ({ path }: Named): boolean => path.startsWith('console/')
const isCode = ({ path }: Named): boolean => /\.tsx?$/.test(path)
/** A file without JSX that gives components a hook, or declares a query. */
const isForComponents = ({ code }: SourceFile): boolean =>
  /^export (const|function) use[A-Z]|\bqueryOptions\(/m.test(code)

const needsReact: Record<string, string> = {
  'console/api/client.ts': 'makes queries and mutations',
  'console/api/queries.ts': 'makes the cache of queries',
  'console/parts/approvals.ts': 'declares queries',
  'console/parts/clock.ts': 'has a hook for the time',
  'console/session/account.ts': 'declares queries',
  'console/session/store.ts': 'has a hook for its value',
  'console/session/workspace.ts': 'has a hook for the owner',
}

/** Files that hold a value or talk to the browser, so that a table cannot test them. */
const cannotBeTables: Record<string, string> = {
  'console/parts/palette/open.ts': 'holds whether the palette is open',
  'console/parts/shortcut-setting.ts': 'is kept by the browser',
}

/** What each effect is for. */
const effects: Record<string, string> = {
  'console/parts/ApprovalFacts.tsx': 'focus',
  'console/parts/Narrow.tsx': 'focus',
  'console/parts/NearEnd.tsx': 'IntersectionObserver',
  'console/parts/Page.tsx': 'focus',
  'console/parts/useShortcuts.ts': 'the keyboard',
  'console/screens/agents/form/AgentForm.tsx': 'focus',
  'console/screens/approvals/InboxList.tsx': 'focus',
  'console/screens/runs/failures/ReplayDialog.tsx': 'a series of requests that ends with the page',
  'console/screens/runs/list/ChangeDialog.tsx': 'a series of requests that ends with the page',
  'console/screens/runs/timeline/useTimeline.ts': 'EventSource',
}

/** Requests that change something, and why they have no curl command. */
const withoutCommand: Record<string, string> = {
  'console/parts/approvals.ts': 'ApprovalForm.tsx shows it',
  'console/screens/account/AcceptTerms.tsx': 'a person accepts, not a program',
  'console/screens/account/First.tsx': 'works once, with a link',
  'console/screens/account/Forgot.tsx': 'is for people who cannot sign in',
  'console/screens/account/Invitation.tsx': 'reads a link',
  'console/screens/account/Join.tsx': 'a person joins, with a link',
  'console/screens/account/RegisterForm.tsx': 'is for people without an account',
  'console/screens/account/Reset.tsx': 'works once, with a link',
  'console/screens/apps/AllowApp.tsx': 'works once, in the browser that an app opened',
  'console/screens/account/SendVerification.tsx': 'a person proves an address',
  'console/screens/account/Verify.tsx': 'works once, with a link',
  'console/screens/agents/QueuedActions.tsx': 'the page of the run shows it',
  'console/screens/sites/calls/useCall.ts': 'ToolForm.tsx shows it',
  'console/screens/sites/useConfirm.ts': 'Proposal.tsx and Proposals.tsx show it',
  'console/screens/sites/connect/UploadDocument.tsx': 'a command would hold the whole file',
  'console/screens/sites/connect/inspect.ts': 'changes nothing',
}

/** The rules of the console (the README of its folder). */
export const consoleRules = [
  {
    name: 'no screen of the console imports another',
    check: each(isCode, ({ path, imports }) => {
      const strange = imports.find(({ target }) => mayNotShow(path, target))
      return strange && `imports ${strange.target}, which only its own screen may; move it to parts/ or lists/`
    }),
  },
  {
    name: 'the design of the console knows nothing of the API',
    check: each(isCode, ({ path, imports }) => {
      const strange = imports.find(({ target }) => /^console\/(api|parts|lists)\//.test(target))
      return path.startsWith('console/design/') && strange
        ? `imports ${strange.target}; move what has a meaning to parts/`
        : undefined
    }),
  },
  {
    name: 'what the console computes needs no React',
    check: each(
      (file) => file.path.endsWith('.ts') && !isForComponents(file) && !(file.path in needsReact),
      ({ imports }) => {
        const found = imports.find(({ target, typeOnly }) => !typeOnly && react.test(target))
        return found && `imports ${found.target}; what shows is .tsx, and what computes needs no hooks`
      },
    ),
  },
  { name: 'what the console computes has a test', check: checkTables },
  {
    name: 'effects of the console are for the browser',
    check: each(isCode, ({ path, code }) =>
      hasEffect(code) && !(path in effects)
        ? 'has an effect; derive the value instead, or list the effect in test/house with what it is for'
        : undefined,
    ),
  },
  {
    name: 'the console makes no markup from text',
    check: each(isCode, ({ code }) =>
      /dangerouslySetInnerHTML|\.(inner|outer)HTML\b|insertAdjacentHTML|document\.write\b/.test(code)
        ? 'makes markup from text; React shows text as text'
        : undefined,
    ),
  },
  {
    name: 'the console has one way to send requests',
    check: each(
      (file) => isCode(file) && !file.path.startsWith('console/session/'),
      ({ code }) => (/\bfetch\(|\bXMLHttpRequest\b/.test(code) ? 'sends a request past the client of api/' : undefined),
    ),
  },
  {
    name: 'every action of the console can be shown as a curl command',
    check: each(
      ({ path }) => /^console\/(parts|screens|lists)\//.test(path),
      ({ path, code, imports }) =>
        changes(code) && !imports.some(({ target }) => target === 'console/parts/Curl.tsx') && !(path in withoutCommand)
          ? 'changes something and shows no command; add <Curl>, or list in test/house why it has none'
          : undefined,
    ),
  },
  {
    name: 'every address of the console has a name',
    check: each(
      (file) => isCode(file) && !/^console\/(routes\.tsx|routes\/.+|addresses\.ts)$/.test(file.path),
      ({ code }) =>
        /\bto(=\{?|:)\s*["'`]\//.test(code) ? 'spells an address; use a function of addresses.ts' : undefined,
    ),
  },
  {
    name: 'every colour of the console is a token',
    check: each(
      ({ path }) => path !== 'console/design/tokens.css',
      ({ code }) => {
        const found = colour.exec(code) ?? namedColour.exec(code)
        return found ? `has the colour ${found[0]}; give it a name in design/tokens.css` : undefined
      },
    ),
  },
  { name: 'files of the console are short', check: checkLengths },
  { name: 'exceptions for the console are needed', check: checkExceptions },
]

function each(about: (file: SourceFile) => boolean, problemOf: (file: SourceFile) => string | undefined) {
  return (files: SourceFile[]): Breach[] =>
    files.filter((file) => isConsole(file) && about(file)).flatMap((file) => breach(file.path, problemOf(file)))
}

function breach(path: string, problem: string | undefined): Breach[] {
  return problem === undefined ? [] : [{ path, problem }]
}

/** The folder of a screen: `console/screens/runs`. */
const screenOf = (path: string): string | undefined => /^console\/screens\/[^/]+(?=\/)/.exec(path)?.[0]

const mayNotShow = (path: string, target: string): boolean => {
  const screen = screenOf(target)
  return screen !== undefined && screen !== screenOf(path) && !path.startsWith('console/routes')
}

const react = /^(react|react-dom|react-aria-components|@tanstack\/react-.+|openapi-react-query)$/

const hasEffect = (code: string): boolean => /\buse(Layout|Insertion)?Effect\b/.test(code)

const changes = (code: string): boolean =>
  /\bclient\.(POST|PUT|PATCH|DELETE)\(|\buseMutation\(\s*'(post|put|patch|delete)'/.test(code)

const colour = /#[\da-f]{3,8}\b|\b(rgba?|hsla?|hwb|lab|lch|oklab|oklch|color|color-mix|light-dark)\(/i
const namedColour =
  /\b(color|background|border[\w-]*|outline|fill|stroke|shadow):[^;]*\b(white|black|gr[ae]y|red|green|blue|orange|yellow)\b/i

function checkTables(files: SourceFile[]): Breach[] {
  const tests = files.filter(({ path }) => path.startsWith('test/'))
  const tested = new Set(tests.flatMap(({ imports }) => imports.map(({ target }) => target)))
  return each(
    (file) =>
      /^console\/(parts|lists|screens)\/.+\.ts$/.test(file.path) &&
      !isForComponents(file) &&
      !(file.path in cannotBeTables),
    ({ path }) => (tested.has(path) ? undefined : 'has no test; what computes has a table test in test/console/'),
  )(files)
}

function checkLengths(files: SourceFile[]): Breach[] {
  const code = files.filter((file) => isConsole(file) && isCode(file))
  const median = code.map(({ lines }) => lines).toSorted((one, other) => one - other)[Math.floor(code.length / 2)] ?? 0
  const isLong = median > mostMedian
  return [
    ...each(isCode, ({ lines }) =>
      lines > mostLines ? `has ${lines} lines, more than ${mostLines}; find the two things in it` : undefined,
    )(files),
    ...breach('console/', isLong ? `has a median of ${median} lines, more than ${mostMedian}` : undefined),
  ]
}

function checkExceptions(files: SourceFile[]): Breach[] {
  const all = new Map(files.map((file) => [file.path, file]))
  const listed = [needsReact, cannotBeTables, effects, withoutCommand].flatMap((list) => Object.keys(list))
  return [
    ...listed.filter((path) => !all.has(path)).flatMap((path) => breach(path, 'is an exception, and does not exist')),
    ...Object.keys(effects)
      .filter((path) => !hasEffect(all.get(path)?.code ?? 'useEffect'))
      .flatMap((path) => breach(path, 'is an exception for an effect, and has none')),
  ]
}
