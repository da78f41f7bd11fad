/** Apps: MCP clients that users let act for them, and what their sign-in keeps. */
export const apps = `
  create table connected_apps (
    id uuid not null,
    user_id uuid not null,
    -- null: the user's own things
    workspace_id uuid,
    created_at timestamptz not null,
    -- when the last token ends
    expires_at timestamptz not null,
    last_used_at timestamptz,
    -- as the client says it, shortened
    name text not null,
    client_id text not null,
    -- where the browser went back to
    redirect_host text not null,
    scopes text[] not null,
    constraint connected_apps_pkey primary key (id),
    constraint connected_apps_user_fk foreign key (user_id) references users (id) on delete cascade,
    constraint connected_apps_workspace_fk foreign key (workspace_id) references workspaces (id),
    constraint connected_apps_scopes_known
      check (scopes <@ array['read', 'run', 'decide'] and cardinality(scopes) between 1 and 3)
  );
  create index connected_apps_user on connected_apps (user_id, id);
  create index connected_apps_workspace on connected_apps (workspace_id, id);
  create index connected_apps_over on connected_apps (expires_at);

  -- Registered clients, requests in progress, codes and tokens of the authorization server.
  create table app_sign_in_records (
    kind text not null,
    key_hash text not null,
    -- null: nobody has agreed yet
    app_id uuid,
    created_at timestamptz not null,
    expires_at timestamptz not null,
    -- when a code or a refresh token was used
    consumed_at timestamptz,
    -- JSON of the library, without the secret that the hash is of
    payload text not null,
    constraint app_sign_in_records_pkey primary key (kind, key_hash),
    constraint app_sign_in_records_app_fk foreign key (app_id) references connected_apps (id) on delete cascade
  );
  create index app_sign_in_records_app on app_sign_in_records (app_id, kind, created_at);
  create index app_sign_in_records_over on app_sign_in_records (expires_at);
`
