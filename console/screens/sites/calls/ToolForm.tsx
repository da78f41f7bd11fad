import { useState } from 'react'
import { Form } from 'react-aria-components/Form'
import type { Api } from '../../../api/client.ts'
import { detailOf } from '../../../api/problem.ts'
import { Button } from '../../../design/Button.tsx'
import { Dialog, DialogButtons } from '../../../design/Dialog.tsx'
import { Field } from '../../../design/Field.tsx'
import { Switch } from '../../../design/Switch.tsx'
import { isDestructive } from '../../../parts/approval-words.ts'
import { Curl } from '../../../parts/Curl.tsx'
import { shownText } from '../../../parts/shown-text.ts'
import type { Owner } from '../../../session/workspace.ts'
import { ArgumentFields } from './ArgumentFields.tsx'
import styles from './Calls.module.css'
import { Outcome } from './Outcome.tsx'
import { composed, fieldsOf, jsonProblem } from './schema-form.ts'
import { useCall } from './useCall.ts'

interface ToolFormProps {
  entry: Api['VaultEntry']
  tool: Api['VaultTool']
  owner: Owner
  /** The arguments of an earlier call, as JSON. */
  given: string | undefined
}

const nothing: ReadonlyMap<string, string> = new Map()

/** The arguments as fields, or as JSON, and what came of the call. */
export const ToolForm = ({ entry, tool, owner, given }: ToolFormProps) => {
  const fields = fieldsOf(tool.inputSchema)
  const [typed, type] = useState(nothing)
  const [json, setJson] = useState(given ?? '{}')
  const [isJson, setIsJson] = useState(given !== undefined || fields === undefined)
  const [problems, setProblems] = useState<{ fields: ReadonlyMap<string, string>; json?: string | undefined }>()
  const [asked, ask] = useState<string>()
  const calling = useCall(entry.id, tool.name)

  const switchTo = (wantsJson: boolean) => {
    const made = composed(fields ?? [], typed)
    if (wantsJson && 'json' in made) setJson(JSON.stringify(JSON.parse(made.json), null, 2))
    setIsJson(wantsJson)
    setProblems(undefined)
  }
  const submit = () => {
    const made = isJson || !fields ? { json } : composed(fields, typed)
    const problem = 'json' in made ? jsonProblem(made.json) : undefined
    setProblems({ fields: 'problems' in made ? made.problems : nothing, json: problem })
    if (!('json' in made) || problem !== undefined) return
    if (isDestructive(tool)) ask(made.json)
    else calling.mutate(made.json)
  }
  const name = shownText(tool.name)
  return (
    <>
      <Form
        className={styles.form as string}
        onSubmit={(event) => {
          event.preventDefault()
          submit()
        }}
      >
        {fields && fields.length > 0 && (
          <div className={styles.mode}>
            <h2>Arguments</h2>
            <Switch isOn={isJson} onChange={switchTo}>
              As JSON
            </Switch>
          </div>
        )}
        {isJson || !fields ? (
          <Field label="Arguments" lines={10} code value={json} onChange={setJson} problem={problems?.json} />
        ) : (
          <ArgumentFields
            fields={fields}
            typed={typed}
            problemOf={(name) => problems?.fields.get(name) ?? detailOf(calling.error, name)}
            onType={type}
          />
        )}
        <div className={styles.buttons}>
          <Button type="submit" kind="primary" busy={calling.isPending}>
            Call {name}
          </Button>
          <Curl action={requestOf(entry.id, tool.name, isJson || !fields ? { json } : composed(fields, typed))} />
        </div>
      </Form>
      <Outcome calling={calling} entryId={entry.id} owner={owner.address} />
      <Dialog title={`Call ${name}?`} isOpen={asked !== undefined} onClose={() => ask(undefined)}>
        <p className="stranger">
          <code>{name}</code> at {entry.origin} may delete or administer things, and Switchyard cannot undo it.
        </p>
        <DialogButtons>
          <Button onPress={() => ask(undefined)}>Go back</Button>
          <Button
            kind="primary"
            onPress={() => {
              if (asked !== undefined) calling.mutate(asked)
              ask(undefined)
            }}
          >
            Call it
          </Button>
        </DialogButtons>
      </Dialog>
    </>
  )
}

const requestOf = (entryId: string, tool: string, made: ReturnType<typeof composed>) => ({
  method: 'POST' as const,
  path: `/vault/${entryId}/tools/${encodeURIComponent(tool)}/call`,
  body: 'json' in made && jsonProblem(made.json) === undefined ? (JSON.parse(made.json) as unknown) : {},
})
