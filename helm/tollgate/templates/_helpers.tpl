{{- define "tollgate.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 40 | trimSuffix "-" -}}
{{- end -}}

{{/* Names of Services are stricter than those of releases: they have no dots and begin with a letter. */}}
{{- define "tollgate.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 40 | trimSuffix "-" -}}
{{- else -}}
{{- $name := include "tollgate.name" . -}}
{{- $release := .Release.Name | replace "." "-" -}}
{{- if not (regexMatch "^[a-z]" $release) -}}
{{- fail (printf "fullnameOverride: no Service can be named after the release %s, which does not begin with a letter" .Release.Name) -}}
{{- end -}}
{{- if contains $name $release -}}
{{- $release | trunc 40 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" $release $name | trunc 40 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "tollgate.selector" -}}
app.kubernetes.io/name: {{ include "tollgate.name" .root }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .component }}
{{- end -}}

{{- define "tollgate.labels" -}}
{{ include "tollgate.selector" . }}
app.kubernetes.io/part-of: tollgate
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version | replace "+" "_" }}
{{- end -}}

{{- define "tollgate.serviceAccount" -}}
{{- if .Values.serviceAccount.create -}}
{{- default (include "tollgate.fullname" .) .Values.serviceAccount.name -}}
{{- else -}}
{{- default "default" .Values.serviceAccount.name -}}
{{- end -}}
{{- end -}}

{{- define "tollgate.image" -}}
{{- if .Values.image.digest -}}
{{- printf "%s@%s" .Values.image.repository .Values.image.digest -}}
{{- else -}}
{{- printf "%s:%s" .Values.image.repository (default .Chart.AppVersion .Values.image.tag) -}}
{{- end -}}
{{- end -}}

{{/* Seconds for the notice, the drain, and the work after the last request. */}}
{{- define "tollgate.gracePeriod" -}}
{{- add (int .Values.drainSeconds) (int .Values.noticeSeconds) 35 -}}
{{- end -}}

{{/* Each address that the name resolves to is a replica, including those that are not ready, which other services call while they start. */}}
{{- define "tollgate.services" -}}
{{- $name := include "tollgate.fullname" . -}}
{{- range $index, $service := list "identity" "billing" "channel" "relay" "logging" -}}
{{- if $index }},{{ end }}{{ $service }}=dns+http://{{ $name }}-{{ $service }}-pods:3000
{{- end -}}
{{- end -}}

{{/* The port in the URL, or the default port of its scheme. */}}
{{- define "tollgate.clickhousePort" -}}
{{- $url := urlParse .Values.clickhouse.url }}
{{- regexFind "[0-9]+$" (regexFind ":[0-9]+$" $url.host) | default (eq $url.scheme "https" | ternary "443" "80") }}
{{- end -}}

{{/* Converts a Kubernetes quantity to bytes. */}}
{{- define "tollgate.bytes" -}}
{{- $unit := regexFind "([KMGTPE]i|[kMGTPE])$" . }}
{{- $units := dict "" 1 "k" 1e3 "M" 1e6 "G" 1e9 "T" 1e12 "P" 1e15 "E" 1e18 "Ki" 1024 "Mi" 1048576 "Gi" 1073741824 "Ti" 1099511627776 "Pi" 1125899906842624 "Ei" 1152921504606846976 }}
{{- mulf (trimSuffix $unit . | float64) (index $units $unit | float64) | printf "%.0f" }}
{{- end -}}

{{/* Fails if the spool's limit exceeds its storage: a full volume can record no more bookings, and a full emptyDir evicts the pod. */}}
{{- define "tollgate.spoolSize" -}}
{{- $limit := dig "TOLLGATE_SPOOL_LIMIT_MB" (default dict .root.Values.config).TOLLGATE_SPOOL_LIMIT_MB (default dict .env) | default 1024 }}
{{- $name := ternary "size" "emptyDirSizeLimit" .isStateful }}
{{- $size := index .root.Values.spool $name }}
{{- if lt (include "tollgate.bytes" $size | float64) (mulf $limit 1048576 | float64) }}
{{- fail (printf "spool.%s: %s has no room for TOLLGATE_SPOOL_LIMIT_MB (%v) of unbooked requests" $name $size $limit) }}
{{- end }}
{{- $size }}
{{- end -}}

{{/* A value as text of an environment variable: booleans become on or off, and large numbers get no exponent. */}}
{{- define "tollgate.text" -}}
{{- if kindIs "bool" . }}{{ ternary "on" "off" . }}
{{- else if and (kindIs "float64" .) (eq (floor .) .) }}{{ int64 . }}
{{- else }}{{ . }}
{{- end }}
{{- end -}}

{{/* Environment variables that are not secret, as a map. */}}
{{- define "tollgate.config" -}}
NODE_ENV: production
PORT: '3000'
TOLLGATE_METRICS_PORT: '9464'
TOLLGATE_DATA_DIR: /data
TOLLGATE_MIGRATE: never
TOLLGATE_SERVICES: {{ include "tollgate.services" . }}
TOLLGATE_DRAIN_SECONDS: {{ .Values.drainSeconds | quote }}
TOLLGATE_NOTICE_SECONDS: {{ .Values.noticeSeconds | quote }}
KAFKA_BROKERS: {{ required "kafka.brokers: where are the brokers? host:port,host:port" .Values.kafka.brokers | quote }}
{{- with .Values.kafka.topicPrefix }}
TOLLGATE_TOPIC_PREFIX: {{ . | quote }}
{{- end }}
{{- if .Values.kafka.tls }}
KAFKA_TLS: 'on'
{{- end }}
{{- with .Values.kafka.sasl.mechanism }}
KAFKA_SASL_MECHANISM: {{ . | quote }}
KAFKA_SASL_USERNAME: {{ required "kafka.sasl.username: who signs in at the brokers?" $.Values.kafka.sasl.username | quote }}
{{- end }}
{{- if or .Values.kafka.ca.secret .Values.kafka.ca.configMap }}
{{- if not .Values.kafka.tls }}
{{- fail "kafka.tls: kafka.ca says whom to believe, and without tls nobody is asked; switch it on, or take the bundle away" }}
{{- end }}
KAFKA_CA_FILE: /etc/tollgate/ca/kafka/ca.crt
{{- end }}
{{- if or .Values.redis.ca.secret .Values.redis.ca.configMap }}
REDIS_CA_FILE: /etc/tollgate/ca/redis/ca.crt
{{- end }}
{{- with .Values.clickhouse }}
{{- if .url }}
TOLLGATE_LOG_STORE: clickhouse
CLICKHOUSE_URL: {{ .url | quote }}
CLICKHOUSE_DATABASE: {{ .database | quote }}
{{- if .user }}
CLICKHOUSE_USER: {{ .user | quote }}
{{- end }}
{{- if or .ca.secret .ca.configMap }}
CLICKHOUSE_CA_FILE: /etc/tollgate/ca/clickhouse/ca.crt
{{- end }}
{{- end }}
{{- end }}
{{- with .Values.trustedProxies }}
TOLLGATE_TRUSTED_PROXIES: {{ . | quote }}
{{- end }}
{{- with .Values.address }}
TOLLGATE_ADDRESS: {{ . | quote }}
{{- end }}
{{- with .Values.telemetry.endpoint }}
OTEL_EXPORTER_OTLP_ENDPOINT: {{ . | quote }}
OTEL_TRACES_SAMPLER_ARG: {{ $.Values.telemetry.sample | quote }}
{{- end }}
{{- range $name, $value := .Values.config }}
{{ $name }}: {{ include "tollgate.text" $value | quote }}
{{- end }}
{{- end -}}

{{/* Secrets from the values, for `data` of a Secret, because Kubernetes never removes keys that were set by stringData. Secrets of the operator are not included. */}}
{{- define "tollgate.secrets" -}}
{{- $isExposed := or .Values.ingress.enabled .Values.gateway.enabled (ne .Values.service.type "ClusterIP") }}
{{- if and $isExposed (hasPrefix "change-me" .Values.secretKey.value) }}
{{- fail "secretKey.value is the one of the examples, which everybody knows: set a random one, e.g. by openssl rand -hex 32" }}
{{- end }}
{{- if not .Values.secretKey.existingSecret }}
TOLLGATE_SECRET_KEY: {{ required "secretKey.value or secretKey.existingSecret: at least 32 characters" .Values.secretKey.value | b64enc | quote }}
{{- end }}
{{- range $which := list "next" "previous" }}
{{- $other := index $.Values.secretKey $which }}
{{- if and $other.value (not $other.existingSecret) }}
TOLLGATE_SECRET_KEY_{{ upper $which }}: {{ $other.value | b64enc | quote }}
{{- end }}
{{- end }}
{{- if not .Values.postgresql.existingSecret }}
DATABASE_URL: {{ required "postgresql.url or postgresql.existingSecret: postgres://user:password@host:5432/tollgate" .Values.postgresql.url | b64enc | quote }}
{{- end }}
{{- if not .Values.redis.existingSecret }}
REDIS_URL: {{ required "redis.url or redis.existingSecret: redis://:password@host:6379" .Values.redis.url | b64enc | quote }}
{{- end }}
{{- if and .Values.kafka.sasl.mechanism (not .Values.kafka.sasl.existingSecret) }}
KAFKA_SASL_PASSWORD: {{ required "kafka.sasl.password or kafka.sasl.existingSecret" .Values.kafka.sasl.password | b64enc | quote }}
{{- end }}
{{- if and .Values.clickhouse.password (not .Values.clickhouse.existingSecret) }}
CLICKHOUSE_PASSWORD: {{ .Values.clickhouse.password | b64enc | quote }}
{{- end }}
{{- if and .Values.setupToken.value (not .Values.setupToken.existingSecret) }}
TOLLGATE_SETUP_TOKEN: {{ .Values.setupToken.value | b64enc | quote }}
{{- end }}
{{- end -}}

{{/* The services with tables, and the migration job; a test compares them with the code. */}}
{{- define "tollgate.withTables" -}}
who: [identity, billing, channel, logging, migrate]
{{- end -}}

{{/* Only the secrets that a workload uses, from the chart's Secret `holder` or from the operator's. The migration job gets all of them, so that a missing one stops an upgrade before it begins. */}}
{{- define "tollgate.secretEnv" -}}
{{- $root := .root }}
{{- $here := include "tollgate.secrets" $root | fromYaml }}
{{- $for := dict "CLICKHOUSE_PASSWORD" (list "logging" "migrate") "TOLLGATE_SETUP_TOKEN" (list "identity" "migrate") "DATABASE_URL" (include "tollgate.withTables" $root | fromYaml).who }}
{{- range $name, $from := dict "TOLLGATE_SECRET_KEY" $root.Values.secretKey "TOLLGATE_SECRET_KEY_NEXT" $root.Values.secretKey.next "TOLLGATE_SECRET_KEY_PREVIOUS" $root.Values.secretKey.previous "TOLLGATE_SETUP_TOKEN" $root.Values.setupToken "DATABASE_URL" $root.Values.postgresql "REDIS_URL" $root.Values.redis "KAFKA_SASL_PASSWORD" $root.Values.kafka.sasl "CLICKHOUSE_PASSWORD" $root.Values.clickhouse }}
{{- if or (not (hasKey $for $name)) (has $.component (index $for $name)) }}
{{- if $from.existingSecret }}
- name: {{ $name }}
  valueFrom: { secretKeyRef: { name: {{ $from.existingSecret }}, key: {{ $from.existingSecretKey }} } }
{{- else if hasKey $here $name }}
- name: {{ $name }}
  valueFrom: { secretKeyRef: { name: {{ $.holder }}, key: {{ $name }} } }
{{- end }}
{{- end }}
{{- end }}
{{- end -}}

{{- define "tollgate.caMounts" -}}
{{- range $server, $ca := dict "postgresql" .Values.postgresql.ca "redis" .Values.redis.ca "kafka" .Values.kafka.ca "clickhouse" .Values.clickhouse.ca }}
{{- if or $ca.secret $ca.configMap }}
- { name: ca-{{ $server }}, mountPath: /etc/tollgate/ca/{{ $server }}, readOnly: true }
{{- end }}
{{- end }}
{{- end -}}

{{- define "tollgate.caVolumes" -}}
{{- range $server, $ca := dict "postgresql" .Values.postgresql.ca "redis" .Values.redis.ca "kafka" .Values.kafka.ca "clickhouse" .Values.clickhouse.ca }}
{{- if $ca.secret }}
- name: ca-{{ $server }}
  secret: { secretName: {{ $ca.secret }}, items: [{ key: {{ $ca.key }}, path: ca.crt }] }
{{- else if $ca.configMap }}
- name: ca-{{ $server }}
  configMap: { name: {{ $ca.configMap }}, items: [{ key: {{ $ca.key }}, path: ca.crt }] }
{{- end }}
{{- end }}
{{- end -}}

{{/* The settings of one service, merged over the defaults. */}}
{{- define "tollgate.settings" -}}
{{- mergeOverwrite (deepCopy .root.Values.defaults) (deepCopy (default dict (index .root.Values.services .component))) | toYaml -}}
{{- end -}}

{{/* Placement of pods that are not services: as services are placed by default. */}}
{{- define "tollgate.placement" -}}
{{- with .Values.defaults.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- with .Values.defaults.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.defaults.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{/* The services that call each service; a test compares it with the code. */}}
{{- define "tollgate.callers" -}}
identity: [gateway, billing, channel, relay, logging]
billing: [gateway, identity, relay, logging]
channel: [billing, gateway, identity, logging, relay]
relay: [gateway]
logging: [billing, channel, gateway, identity, relay]
gateway: []
{{- end -}}
