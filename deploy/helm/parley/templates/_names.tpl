{{- define "parley.name" -}}
{{- printf "%s-%s" .Release.Name "parley" | trunc 40 | trimSuffix "-" -}}
{{- end -}}

{{- define "parley.labels" -}}
app.kubernetes.io/name: parley
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "parley.podSecurity" -}}
runAsNonRoot: true
runAsUser: 10001
runAsGroup: 10001
fsGroup: 10001
fsGroupChangePolicy: OnRootMismatch
seccompProfile:
  type: RuntimeDefault
{{- end -}}

{{- define "parley.containerSecurity" -}}
readOnlyRootFilesystem: true
allowPrivilegeEscalation: false
capabilities:
  drop: ["ALL"]
{{- end -}}

{{- define "parley.image" -}}
image: {{ printf "%s:%s" .Values.image.repository (.Values.image.tag | default .Chart.AppVersion) | quote }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
{{- end -}}

{{- define "parley.settings" -}}
- name: DATABASE_URL_FILE
  value: /run/secrets/parley/database-url
- name: PARLEY_SECRET_KEY_FILE
  value: /run/secrets/parley/secret-key
- name: PARLEY_SEALING_KEYS_FILE
  value: /run/secrets/parley/sealing-keys
{{- with .Values.baseUrl }}
- name: PARLEY_BASE_URL
  value: {{ . | quote }}
{{- end }}
{{- with .Values.objects }}
- name: PARLEY_OBJECTS
  value: {{ . | quote }}
{{- end }}
{{- with .Values.trustedProxies }}
- name: PARLEY_TRUSTED_PROXIES
  value: {{ . | quote }}
{{- end }}
{{- range $name, $value := .Values.settings }}
- name: {{ $name }}
  value: {{ $value | quote }}
{{- end }}
{{- end -}}

{{- define "parley.mounts" -}}
- name: data
  mountPath: /data
{{- if not .Values.objects }}
- name: shared
  mountPath: /data/recordings
  subPath: recordings
- name: shared
  mountPath: /data/uploads
  subPath: uploads
{{- end }}
- name: tmp
  mountPath: /tmp
- name: secrets
  mountPath: /run/secrets/parley
  readOnly: true
{{- end -}}

{{- define "parley.volumes" -}}
{{- if not .Values.objects }}
- name: shared
  persistentVolumeClaim:
    claimName: {{ .Values.shared.existingClaim | default (printf "%s-shared" (include "parley.name" .)) }}
{{- end }}
- name: tmp
  emptyDir: {}
- name: secrets
  secret:
    secretName: {{ .Values.existingSecret }}
    defaultMode: 0440
{{- end -}}

{{- define "parley.claims" -}}
- metadata:
    name: data
  spec:
    accessModes: ["ReadWriteOnce"]
    {{- with .Values.data.storageClassName }}
    storageClassName: {{ . }}
    {{- end }}
    resources:
      requests:
        storage: {{ .Values.data.size }}
{{- end -}}
