import { Field } from '../../../design/Field.tsx'

interface Client {
  id: string
  secret: string
}

interface Props {
  redirectUri: string
  client: Client
  onChange: (client: Client) => void
}

/** The client that somebody registered at the site, because the site registers none itself. */
export const ClientFields = ({ redirectUri, client, onChange }: Props) => (
  <>
    <Field
      label="Client id"
      hint={`This site does not register clients itself. Register one in its settings, with the redirect URI ${redirectUri}.`}
      type="text"
      autoComplete="off"
      isRequired
      maxLength={2048}
      value={client.id}
      onChange={(id) => onChange({ ...client, id })}
    />
    <Field
      label="Client secret"
      hint="Only if the site gave you one. It is stored encrypted."
      type="password"
      autoComplete="off"
      maxLength={4096}
      value={client.secret}
      onChange={(secret) => onChange({ ...client, secret })}
    />
  </>
)
