{{- define "class.name" -}}
{{ .Release.Name }}-{{ .Chart.Version }}
{{- end }}
